// Single keys.
#include <membrane/base/endian.hpp>

#include "handle.hpp"

namespace membrane::c {

namespace {

// How a counter remembers an integer: 8 bytes, the lowest first.
struct key_bytes {
    explicit key_bytes(std::uint64_t key) noexcept { store_le(bytes, key); }
    operator std::string_view() const noexcept {
        return {reinterpret_cast<const char*>(bytes), sizeof bytes};
    }
    std::byte bytes[8];
};

std::string_view remembered(std::string_view key) noexcept { return key; }
key_bytes remembered(std::uint64_t key) noexcept { return key_bytes(key); }

template <class Key>
membrane_status add(membrane_filter* filter, const Key& key, std::uint64_t weight) noexcept {
    return change(filter, [&](any_filter& own) {
        const key_hash hash = hash_of(own.hash(), key);
        if (auto added = own.add(hash, weight); !added) return fail(added.error());
        if (filter->top) filter->top->offer(hash, *own.estimate(hash), remembered(key));
        return MEMBRANE_OK;
    });
}

template <class Key>
membrane_status insert(membrane_filter* filter, const Key& key) noexcept {
    if (filter != nullptr && filter->top) return add(filter, key, 1);
    return change(filter,
                  [&](any_filter& own) { return own.insert(key) ? MEMBRANE_OK : fail(own.refusal()); });
}

template <class Key>
membrane_status insert_if_absent(membrane_filter* filter, const Key& key, bool* is_new) noexcept {
    if (is_new == nullptr) return fail_null();
    return change(filter, [&](any_filter& own) {
        const key_hash hash = hash_of(own.hash(), key);
        const bool looks_absent = !own.may_contain(hash);
        if (looks_absent && filter->top) {
            if (const auto status = add(filter, key, 1); status != MEMBRANE_OK) return status;
        } else if (looks_absent && !own.insert(hash)) {
            return fail(own.refusal());
        }
        *is_new = looks_absent;
        return MEMBRANE_OK;
    });
}

template <class Key>
membrane_status erase(membrane_filter* filter, const Key& key, bool* was_there) noexcept {
    return change(filter, [&](any_filter& own) {
        const auto erased = own.erase(key);
        if (!erased) return fail(erased.error());
        if (was_there != nullptr) *was_there = *erased;
        return MEMBRANE_OK;
    });
}

template <class Key>
membrane_status count(const membrane_filter* filter, const Key& key, std::uint64_t* answer) noexcept {
    if (is_any_null(filter, answer)) return fail_null();
    return guarded([&] {
        const auto found = filter->view->estimate(key);
        if (!found) return fail(found.error());
        *answer = *found;
        return MEMBRANE_OK;
    });
}

membrane_hash plain(const key_hash& hash) noexcept { return {hash.low, hash.high}; }

bool is_missing(const void* key, std::size_t length) noexcept { return key == nullptr && length != 0; }

}  // namespace

}  // namespace membrane::c

using namespace membrane::c;
using membrane::any_view;

membrane_status membrane_insert(membrane_filter* filter, const void* key, size_t length) noexcept {
    return is_missing(key, length) ? fail_null() : insert(filter, text_of(key, length));
}
membrane_status membrane_insert_u64(membrane_filter* filter, uint64_t key) noexcept {
    return insert(filter, key);
}

membrane_status membrane_insert_if_absent(membrane_filter* filter, const void* key, size_t length,
                                          bool* is_new) noexcept {
    return is_missing(key, length) ? fail_null() : insert_if_absent(filter, text_of(key, length), is_new);
}
membrane_status membrane_insert_if_absent_u64(membrane_filter* filter, uint64_t key, bool* is_new) noexcept {
    return insert_if_absent(filter, key, is_new);
}

membrane_status membrane_may_contain(const membrane_filter* filter, const void* key, size_t length,
                                     bool* answer) noexcept {
    if (is_missing(key, length)) return fail_null();
    return ask(filter, answer, [&](const any_view& view) { return view.may_contain(text_of(key, length)); });
}
membrane_status membrane_may_contain_u64(const membrane_filter* filter, uint64_t key, bool* answer) noexcept {
    return ask(filter, answer, [&](const any_view& view) { return view.may_contain(key); });
}

membrane_status membrane_erase(membrane_filter* filter, const void* key, size_t length,
                               bool* was_there) noexcept {
    return is_missing(key, length) ? fail_null() : erase(filter, text_of(key, length), was_there);
}
membrane_status membrane_erase_u64(membrane_filter* filter, uint64_t key, bool* was_there) noexcept {
    return erase(filter, key, was_there);
}

membrane_status membrane_count(const membrane_filter* filter, const void* key, size_t length,
                               uint64_t* answer) noexcept {
    return is_missing(key, length) ? fail_null() : count(filter, text_of(key, length), answer);
}
membrane_status membrane_count_u64(const membrane_filter* filter, uint64_t key, uint64_t* answer) noexcept {
    return count(filter, key, answer);
}

membrane_status membrane_add(membrane_filter* counter, const void* key, size_t length,
                             uint64_t weight) noexcept {
    return is_missing(key, length) ? fail_null() : add(counter, text_of(key, length), weight);
}
membrane_status membrane_add_u64(membrane_filter* counter, uint64_t key, uint64_t weight) noexcept {
    return add(counter, key, weight);
}

membrane_status membrane_hash_of(const membrane_filter* filter, const void* key, size_t length,
                                 membrane_hash* hash) noexcept {
    if (is_missing(key, length)) return fail_null();
    return ask(filter, hash, [&](const any_view& view) { return plain(view.hash()(text_of(key, length))); });
}
membrane_status membrane_hash_of_u64(const membrane_filter* filter, uint64_t key,
                                     membrane_hash* hash) noexcept {
    return ask(filter, hash, [&](const any_view& view) { return plain(hash_of(view.hash(), key)); });
}
membrane_status membrane_hash_of_parts(const membrane_filter* filter, const membrane_hash* parts,
                                       size_t count, membrane_hash* hash) noexcept {
    if (parts == nullptr && count != 0) return fail_null();
    return ask(filter, hash, [&](const any_view& view) {
        std::vector<std::byte> words(16 * count);
        for (std::size_t i = 0; i < count; ++i) {
            membrane::store_le(words.data() + 16 * i, parts[i].low);
            membrane::store_le(words.data() + 16 * i + 8, parts[i].high);
        }
        return plain(view.hash()(std::span<const std::byte>(words)));
    });
}
