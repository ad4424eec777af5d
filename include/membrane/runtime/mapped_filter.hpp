// A filter in a mapped file: lookups read the file's pages, nothing is copied.
//
// Any number of threads may call const members at once; moving and assigning run alone. A filter that was moved from is empty and has no
// file: it answers no, and another one can be assigned to it.
#pragma once

#include <string>
#include <utility>

#include <membrane/part/key_calls.hpp>
#include <membrane/runtime/any_view.hpp>
#include <membrane/runtime/mapped_file.hpp>

namespace membrane {

class mapped_filter : public key_lookups<mapped_filter> {
public:
    using hash_type = hasher;
    static constexpr bool can_count = true,
                          has_values = true;  // known when it runs: the calls say so at once

    // Throws filter_error.
    template <class Path>
    requires std::convertible_to<const Path&, std::string>
    static mapped_filter open(const Path& path, checksum payload_check = checksum::verify) {
        auto opened = try_open(path, payload_check);
        if (!opened) raise<Path>(opened.error(), std::string_view(path));
        return std::move(*opened);
    }
    static result<mapped_filter> try_open(const std::string& path, checksum payload_check = checksum::verify);

    mapped_filter(mapped_filter&& other) noexcept : file_(std::move(other.file_)), view_(other.view_) {
        other.view_.become_empty();
    }
    mapped_filter& operator=(mapped_filter&& other) noexcept {
        if (this == &other) return *this;
        file_ = mapped_file(std::move(other.file_));  // the former file is unmapped
        view_ = other.view_;
        other.view_.become_empty();
        return *this;
    }

    std::uint64_t keys() const noexcept { return view_.keys(); }
    std::uint64_t size_bytes() const noexcept { return view_.size_bytes(); }
    const filter_spec& spec() const noexcept { return view_.spec(); }
    const hasher& hash() const noexcept { return view_.hash(); }

    const any_view& view() const noexcept { return view_; }
    operator const any_view&() const noexcept { return view_; }
    const any_view* operator->() const noexcept { return &view_; }

private:
    friend key_lookups<mapped_filter>;
    bool contains_hash(const key_hash& hash) const noexcept { return view_.may_contain(hash); }
    std::size_t contains_hashes(std::span<const key_hash> hashes,
                                std::span<std::uint64_t> answers) const noexcept {
        return view_.may_contain_many(hashes, answers);
    }
    result<std::uint64_t> count_hash(const key_hash& hash) const { return view_.estimate(hash); }
    result<std::vector<std::uint64_t>> values_of_hash(const key_hash& hash) const {
        return view_.values(hash);
    }

    mapped_filter(mapped_file file, const any_view& view) : file_(std::move(file)), view_(view) {}

    mapped_file file_;
    any_view view_;
};

}  // namespace membrane
