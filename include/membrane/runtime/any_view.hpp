// A filter whose kind is known only at run time, read-only, over bytes that somebody else owns: a mapped file, a value
// of another engine. Copies nothing. Lookups write nothing, so any number of threads may look up at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <membrane/format/file_view.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/kind/count_min/top_section.hpp>
#include <membrane/part/key_batches.hpp>
#include <membrane/runtime/grower.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane {

class any_view {
public:
    // Validates the bytes of a file: all checks of format/file_view.hpp, then the kind's rules of the payload. The view is
    // valid as long as the bytes are.
    static result<any_view> open(std::span<const std::byte> file, checksum payload_check = checksum::verify);

    // The rest of `open` after the decoder: constructs the view, then checks the payload's rules on it, each once.
    static result<any_view> over(const file_view& decoded, const kind_entry& kind, checksum payload_check);

    // The kind's rules of the payload, unless `open` has checked them: `trust` skips them where lookups are memory-safe on
    // unvalidated payloads. Called before the filter is copied, joined or packed, which relies on them.
    result<void> check_payload() const;

    const kind_entry& kind() const noexcept { return *kind_; }
    // What the kind can do in this form; the operations in use may be those of a filter that grows or was moved from.
    const kind_ops& abilities() const noexcept { return kind_->ops_for(spec_); }
    bool has_memory() const noexcept { return payload_ != nullptr || growing_ != nullptr; }
    const filter_spec& spec() const noexcept { return spec_; }
    const hasher& hash() const noexcept { return hash_; }
    std::uint64_t keys() const noexcept {
        return keys_;
    }  // insertions less erasures; total weight of a count_min.
    // Empty while an any_filter grows step by step (any_filter::settle() ends that), and after a move from it: any_filter::copy_of has
    // the bytes of both.
    std::span<const std::byte> payload() const noexcept {
        return {payload_, static_cast<std::size_t>(payload_bytes_)};
    }
    std::uint64_t size_bytes() const noexcept { return payload_bytes_; }  // of the payload
    std::uint64_t file_bytes() const noexcept;
    // Of its file; kept by copies, packs and patches, and those of both by merging.
    const file_labels& labels() const noexcept { return labels_; }
    // Up to how many keys the planned rate is kept; 0 if the filter was planned for no number of keys or, one that grows, for no
    // rate: its spec's planned_keys are those that its present layout has room for.
    std::uint64_t promised_keys() const noexcept;
    bool is_over_capacity() const noexcept { return promised_keys() != 0 && keys_ > promised_keys(); }

    template <class Key>
    bool may_contain(const Key& key) const {
        return ops_->may_contain(view_, hash_of(hash_, key));
    }
    // Bit i of `answers` is the answer for key i (part/batch.hpp). Returns the number of keys that may be present.
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept {
        return ops_->may_contain_many(view_, hashes, answers);
    }
    template <key_range Keys>
    std::size_t may_contain_many(const Keys& keys, std::span<std::uint64_t> answers) const {
        return look_up_in_pieces(hash_, keys, answers,
                                 [this](std::span<const key_hash> hashes, std::span<std::uint64_t> words) {
                                     return ops_->may_contain_many(view_, hashes, words);
                                 });
    }

    // At least the number of times that the key was inserted. not_supported unless the kind counts.
    template <class Key>
    result<std::uint64_t> estimate(const Key& key) const {
        if (ops_->counts == nullptr) {
            if (has_memory() || abilities().counts == nullptr) return unsupported("estimate");
            return std::uint64_t{0};
        }
        return ops_->counts->estimate(view_, hash_of(hash_, key));
    }
    std::uint64_t largest_estimate() const noexcept {
        return ops_->counts == nullptr ? 0 : ops_->counts->largest_estimate;
    }
    std::vector<counted_key> top() const;  // the most counted keys; empty unless the kind remembers them

    // The value of the key, possibly among values of other keys (false positives); may be empty if the key was never
    // inserted. not_supported unless the kind carries values.
    template <class Key>
    result<std::vector<std::uint64_t>> values(const Key& key) const {
        std::vector<std::uint64_t> found;
        if (ops_->values == nullptr) {
            if (has_memory() || abilities().values == nullptr) return unsupported("values");
            return found;
        }
        ops_->values->find(view_, hash_of(hash_, key), found);
        return found;
    }

    // The filter in a shorter encoding, to be sent (format/packed.hpp): any_filter::unpack makes the filter again.
    // not_supported unless the kind has such an encoding.
    result<std::vector<std::byte>> pack() const;

    // The numbers that the filter stands for, in ascending order; not_supported unless the kind grows.
    result<std::unique_ptr<number_source>> numbers() const;
    // visit(number, times) for each of them.
    template <class Visit>
    result<void> for_each_number(Visit&& visit) const {
        const auto source = numbers();
        if (!source) return source.error();
        while (const auto each = (*source)->next()) visit(each->number, each->times);
        return {};
    }
    // Whether an any_filter grows step by step at the moment.
    bool is_growing() const noexcept { return growing_ != nullptr; }
    std::uint64_t universe() const noexcept {
        const grow_ops* const grows = abilities().grows;
        return grows == nullptr ? 0 : grows->universe(spec_);
    }

    // Cache lines that a lookup of this key reads. not_supported unless the kind can trace its lookups.
    template <class Key>
    result<std::uint64_t> lookup_lines(const Key& key) const {
        if (ops_->lookup_lines == nullptr) return unsupported("lookup_lines");
        return ops_->lookup_lines(view_, hash_of(hash_, key));
    }

    double fill() const { return ops_->fill(view_); }
    double estimated_size() const { return ops_->estimated_size(view_); }
    double estimated_fpr_now() const { return ops_->estimated_fpr_now(view_); }

    file_view as_file() const noexcept;

protected:
    friend class any_filter;     // copies a filter that grows
    friend class mapped_filter;  // takes the view along when it is moved
    any_view() = default;
    void bind(const kind_entry& kind, const filter_spec& spec, const hasher& hash, std::uint64_t keys,
              std::byte* payload, std::uint64_t payload_bytes);
    // After a move: an empty filter of the same spec and hash, which has no memory.
    void become_empty() noexcept;
    static const void* view_of(const any_view& other) noexcept { return other.view_; }
    static error unsupported(std::string_view operation) {
        return make_error(errc::not_supported, operation);
    }

    const kind_entry* kind_ = nullptr;
    const kind_ops* ops_ = nullptr;
    filter_spec spec_;
    hasher hash_;
    std::uint64_t keys_ = 0;
    std::byte* payload_ = nullptr;
    std::uint64_t payload_bytes_ = 0;
    const grower* growing_ = nullptr;  // while an any_filter grows: view_ is then a pointer to it
    bool is_payload_checked_ = true;
    file_labels labels_;
    alignas(16) std::byte view_[view_storage_bytes]{};
};

}  // namespace membrane
