// Helpers that create, fill and compare filters of any kind. A failure throws, so that the test fails with the library's own error
// message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <membrane/format/encode.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "support/keys.hpp"
#include "support/kind_specs.hpp"

namespace membrane::test {

template <class T>
T value_of(result<T> made) {
    if (!made) throw std::runtime_error(describe(made.error()));
    return std::move(*made);
}
inline void expect_done(const result<void>& done) {
    if (!done) throw std::runtime_error(describe(done.error()));
}

inline any_filter make(const filter_spec& spec, const hasher& hash = numbered_hasher(1)) {
    return value_of(any_filter::create(spec, hash));
}
inline any_filter filled(const filter_spec& spec, std::span<const key_hash> hashes,
                         const hasher& hash = numbered_hasher(1)) {
    any_filter filter = make(spec, hash);
    if (filter.insert_many(hashes) != hashes.size())
        throw std::runtime_error("a filter refused keys that it was planned for");
    return filter;
}

inline std::vector<std::byte> payload_of(const any_view& filter) {
    return {filter.payload().begin(), filter.payload().end()};
}

// The bytes of the file that `save` would write.
inline std::vector<std::byte> file_of(const any_view& filter) { return encode_file(filter.as_file()); }

// The number of false negatives among the keys; must always be zero.
inline std::size_t false_negatives(const any_view& filter, std::span<const key_hash> hashes) {
    std::size_t denied = 0;
    for (const key_hash& hash : hashes) denied += filter.may_contain(hash) ? 0 : 1;
    return denied;
}

inline std::vector<bool> answers_of(const any_view& filter, std::span<const key_hash> hashes) {
    std::vector<bool> answers;
    for (const key_hash& hash : hashes) answers.push_back(filter.may_contain(hash));
    return answers;
}

}  // namespace membrane::test
