// What the filters for many threads share: the calls over keys (part/key_calls.hpp), files. Engine: the filter over hashes, a kind's own
// class or concurrent_engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <membrane/filter/file_bytes.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/part/filter_copy.hpp>
#include <membrane/part/key_calls.hpp>

namespace membrane {

// Every call may be made by any number of threads at once, but for moving, assigning and destroying. A filter that was moved from can only
// be assigned or destroyed.
template <class Filter, class Engine, class Hash>
class concurrent_calls : public key_calls<Filter> {
public:
    using hash_type = Hash;
    static constexpr bool has_weights = false, has_values = false;

    concurrent_calls(concurrent_calls&&) noexcept = default;
    concurrent_calls& operator=(concurrent_calls&&) noexcept = default;

    // Stays where it is while the filter grows: then it is that of the former layout.
    const filter_spec& spec() const noexcept { return engine_->spec(); }
    const Hash& hash() const noexcept { return hash_; }
    // Insertions less erasures; calls under way may be missing.
    std::uint64_t keys() const noexcept { return engine_->keys(); }
    std::uint64_t size_bytes() const noexcept { return engine_->held_bytes(); }
    // These look at the whole filter, and writers wait meanwhile; readers do not. They throw if memory is refused to end a growth.
    double estimated_size() const { return value_or_raise(engine_->estimated_size()); }
    double estimated_fpr_now() const { return value_or_raise(engine_->estimated_fpr_now()); }

    // Room for so many keys in all. The other threads go on.
    [[nodiscard]] result<void> try_reserve(std::uint64_t keys) { return engine_->reserve(keys); }

    // Files and their bytes hold the state at one moment: every key whose insertion had ended before the call is in it. Writers wait while
    // the bytes are copied, readers do not.
    result<std::vector<std::byte>> try_to_bytes() const {
        return with_copy([](const payload_file& file) { return file_bytes(file); });
    }
    [[nodiscard]] result<void> try_save(const std::string& path, existing there = existing::replace) const {
        return with_copy([&](const payload_file& file) { return save_file(file, path, there); });
    }
    static result<Filter> try_from_bytes(std::span<const std::byte> bytes) {
        const auto file = open_file_bytes(bytes);
        if (!file) return file.error();
        return Filter::from_file(*file);
    }
    static result<Filter> try_load(const std::string& path) {
        const auto file = mapped_file::open(path);
        if (!file) return file.error();
        return try_from_bytes(file->bytes());
    }

protected:
    friend key_lookups<Filter>;
    friend key_calls<Filter>;

    concurrent_calls(const Hash& hash, std::unique_ptr<Engine> engine)
        : hash_(hash), engine_(std::move(engine)) {}
    static result<Filter> of_engine(const Hash& hash, result<std::unique_ptr<Engine>> engine) {
        if (!engine) return engine.error();
        return Filter(hash, std::move(*engine));
    }
    static error negative_keys() {
        return make_error(errc::bad_field, "keys").with_note("a number of keys is not negative");
    }
    // use(payload_file) of the state at one moment.
    template <class Use>
    auto with_copy(const Use& use) const -> decltype(use(std::declval<const payload_file&>())) {
        const auto now = engine_->copy();
        if (!now) return now.error();
        hasher hash{hash_id::precomputed, {}};
        if constexpr (std::is_same_v<Hash, hasher>) hash = hash_;
        return use(payload_file{now->spec, hash, now->keys, now->payload.bytes()});
    }
    Engine& engine() const noexcept { return *engine_; }

    bool contains_hash(const key_hash& hash) const noexcept { return engine_->may_contain(hash); }
    std::size_t contains_hashes(std::span<const key_hash> hashes,
                                std::span<std::uint64_t> answers) const noexcept {
        return engine_->may_contain_many(hashes, answers);
    }
    insertion insert_hash(const key_hash& hash) noexcept { return engine_->insert(hash); }
    insertion insert_hash_if_absent(const key_hash& hash) noexcept { return engine_->insert_if_absent(hash); }
    std::size_t insert_hashes(std::span<const key_hash> hashes) noexcept {
        return engine_->insert_many(hashes);
    }
    static error refusal() noexcept { return make_error(errc::out_of_memory, "memory to grow"); }
    bool erase_hash(const key_hash& hash) noexcept { return engine_->erase(hash); }
    std::size_t erase_hashes(std::span<const key_hash> hashes) noexcept {
        return engine_->erase_many(hashes);
    }
    std::uint64_t count_hash(const key_hash& hash) const noexcept { return engine_->estimate(hash); }

private:
    Hash hash_;
    std::unique_ptr<Engine> engine_;
};

}  // namespace membrane
