// Many keys in one call.
#include "key_pieces.hpp"

namespace membrane::c {

membrane_status check_keys(const membrane_keys* keys) noexcept {
    if (keys == nullptr) return fail_null();
    if (keys->form < MEMBRANE_POINTERS || keys->form > MEMBRANE_HASHES)
        return fail(MEMBRANE_BAD_ARGUMENT, "keys: a form that this version of the library does not know");
    if (keys->count == 0) return MEMBRANE_OK;
    const bool has_places = keys->form <= MEMBRANE_OFFSETS64;
    const bool may_be_empty =
        keys->form == MEMBRANE_OFFSETS32 || keys->form == MEMBRANE_OFFSETS64 ||
        ((keys->form == MEMBRANE_BYTES || keys->form == MEMBRANE_PADDED) && keys->width == 0);
    if ((keys->data == nullptr && !may_be_empty) || (has_places && keys->places == nullptr))
        return fail_null();
    if (are_integers(*keys) && keys->width != 1 && keys->width != 2 && keys->width != 4 && keys->width != 8)
        return fail(MEMBRANE_BAD_ARGUMENT, "keys: integers have 1, 2, 4 or 8 bytes");
    const auto ascend = [&]<class Offset>(const Offset* offsets) {
        return offsets[0] >= 0 && std::is_sorted(offsets, offsets + keys->count + 1) &&
               (keys->data != nullptr || offsets[keys->count] == 0);
    };
    if ((keys->form == MEMBRANE_OFFSETS32 && !ascend(static_cast<const std::int32_t*>(keys->places))) ||
        (keys->form == MEMBRANE_OFFSETS64 && !ascend(static_cast<const std::int64_t*>(keys->places))))
        return fail(MEMBRANE_BAD_ARGUMENT, "keys: the offsets do not ascend from 0 or more");
    return MEMBRANE_OK;
}

namespace {

void set_if(std::uint64_t* to, std::uint64_t value) noexcept {
    if (to != nullptr) *to = value;
}

// The single calls, for counters that remember keys: use(i, hash of key i).
template <class Use>
membrane_status for_each_key(const hasher& hash, const membrane_keys& keys, const Use& use) {
    membrane_status status = MEMBRANE_OK;
    std::uint64_t i = 0;
    for_pieces(hash, keys, [&](std::span<const key_hash> hashes) {
        for (const key_hash& each : hashes) {
            status = use(i, each);
            if (status != MEMBRANE_OK) return false;
            ++i;
        }
        return true;
    });
    return status;
}

membrane_status count_key(membrane_filter& counter, const membrane_keys& keys, std::uint64_t i) {
    if (are_integers(keys)) return membrane_add_u64(&counter, integer_at(keys, i), 1);
    const std::string_view key = bytes_at(keys, i);
    return membrane_add(&counter, key.data(), key.size(), 1);
}

membrane_status check_remembered(const membrane_filter& filter, const membrane_keys& keys) {
    if (filter.top == nullptr || keys.form != MEMBRANE_HASHES) return MEMBRANE_OK;
    return fail(MEMBRANE_BAD_ARGUMENT,
                "a counter that remembers its most frequent keys takes keys, not their hashes");
}

// Bit i of the words becomes answers[i].
void spread(std::span<const std::uint64_t> words, std::size_t count, bool* answers) noexcept {
    for (std::size_t i = 0; i < count; ++i) answers[i] = ((words[i / 64] >> (i % 64)) & 1) != 0;
}

membrane_status insert_all(membrane_filter& filter, const membrane_keys& keys, std::uint64_t& stored) {
    any_filter& own = *filter.own;
    if (filter.top) {
        return for_each_key(own.hash(), keys, [&](std::uint64_t i, const key_hash&) {
            const auto status = count_key(filter, keys, i);
            if (status == MEMBRANE_OK) ++stored;
            return status;
        });
    }
    for_pieces(own.hash(), keys, [&](std::span<const key_hash> hashes) {
        const std::size_t now = own.insert_many(hashes);
        stored += now;
        return now == hashes.size();
    });
    return stored == keys.count ? MEMBRANE_OK : fail(own.refusal());
}

membrane_status insert_absent(membrane_filter& filter, const membrane_keys& keys, bool* are_new,
                              std::uint64_t& added) {
    any_filter& own = *filter.own;
    return for_each_key(own.hash(), keys, [&](std::uint64_t i, const key_hash& hash) {
        const bool looks_absent = !own.may_contain(hash);
        if (looks_absent) {
            if (filter.top) {
                if (const auto status = count_key(filter, keys, i); status != MEMBRANE_OK) return status;
            } else if (!own.insert(hash)) {
                return fail(own.refusal());
            }
        }
        added += looks_absent ? 1 : 0;
        if (are_new != nullptr) are_new[i] = looks_absent;
        return MEMBRANE_OK;
    });
}

std::uint64_t look_up_all(const any_view& view, const membrane_keys& keys, bool* answers) {
    std::uint64_t present = 0, first = 0;
    std::uint64_t words[bitmap_words(hash_piece)];
    for_pieces(view.hash(), keys, [&](std::span<const key_hash> hashes) {
        present += view.may_contain_many(hashes, words);
        if (answers != nullptr) spread(words, hashes.size(), answers + first);
        first += hashes.size();
        return true;
    });
    return present;
}

}  // namespace

}  // namespace membrane::c

using namespace membrane::c;
using membrane::any_filter;
using membrane::key_hash;

membrane_status membrane_insert_many(membrane_filter* filter, const membrane_keys* keys,
                                     uint64_t* done) noexcept {
    if (const auto status = check_keys(keys); status != MEMBRANE_OK) return status;
    return change(filter, [&](any_filter&) {
        if (const auto status = check_remembered(*filter, *keys); status != MEMBRANE_OK) return status;
        std::uint64_t stored = 0;
        const auto status = insert_all(*filter, *keys, stored);
        set_if(done, stored);
        return status;
    });
}

membrane_status membrane_insert_many_if_absent(membrane_filter* filter, const membrane_keys* keys,
                                               bool* are_new, uint64_t* new_keys) noexcept {
    if (const auto status = check_keys(keys); status != MEMBRANE_OK) return status;
    return change(filter, [&](any_filter&) {
        if (const auto status = check_remembered(*filter, *keys); status != MEMBRANE_OK) return status;
        std::uint64_t added = 0;
        const auto status = insert_absent(*filter, *keys, are_new, added);
        set_if(new_keys, added);
        return status;
    });
}

membrane_status membrane_may_contain_many(const membrane_filter* filter, const membrane_keys* keys,
                                          bool* answers, uint64_t* present) noexcept {
    if (filter == nullptr) return fail_null();
    if (const auto status = check_keys(keys); status != MEMBRANE_OK) return status;
    return guarded([&] {
        set_if(present, look_up_all(*filter->view, *keys, answers));
        return MEMBRANE_OK;
    });
}

membrane_status membrane_erase_many(membrane_filter* filter, const membrane_keys* keys,
                                    uint64_t* erased) noexcept {
    if (const auto status = check_keys(keys); status != MEMBRANE_OK) return status;
    return change(filter, [&](any_filter& own) {
        std::uint64_t gone = 0;
        membrane_status status = MEMBRANE_OK;
        for_pieces(own.hash(), *keys, [&](std::span<const key_hash> hashes) {
            const auto now = own.erase_many(hashes);
            if (now) gone += *now;
            else status = fail(now.error());
            return status == MEMBRANE_OK;
        });
        set_if(erased, gone);
        return status;
    });
}

membrane_status membrane_count_many(const membrane_filter* filter, const membrane_keys* keys,
                                    uint64_t* counts) noexcept {
    if (is_any_null(filter, counts)) return fail_null();
    if (const auto status = check_keys(keys); status != MEMBRANE_OK) return status;
    return guarded([&] {
        return for_each_key(filter->view->hash(), *keys, [&](std::uint64_t i, const key_hash& hash) {
            const auto found = filter->view->estimate(hash);
            if (!found) return fail(found.error());
            counts[i] = *found;
            return MEMBRANE_OK;
        });
    });
}

membrane_status membrane_hash_many(const membrane_filter* filter, const membrane_keys* keys,
                                   membrane_hash* hashes) noexcept {
    if (is_any_null(filter, hashes)) return fail_null();
    if (const auto status = check_keys(keys); status != MEMBRANE_OK) return status;
    return guarded([&] {
        return for_each_key(filter->view->hash(), *keys, [&](std::uint64_t i, const key_hash& hash) {
            hashes[i] = {hash.low, hash.high};
            return MEMBRANE_OK;
        });
    });
}
