// Validates a payload of the kind `rank`: every bucket is well formed, every extension in use belongs to exactly one bucket,
// and everything unused is zero.
//
// Needs one bit of memory per extension (always less than the payload) to record which ones have an owner. A checksum of the
// owners' numbers would be smaller, but whoever makes the file could forge it.
#pragma once

#include <cstdint>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/target.hpp>
#include <membrane/kind/rank/store.hpp>
#include <membrane/part/bit_span.hpp>

MEMBRANE_TARGET_BEGIN

class rank_store_check {
public:
    explicit rank_store_check(const rank_store& store) noexcept : store_(store), layout_(store.layout_) {}

    result<void> run() const {
        std::uint64_t bits = 0;
        for (unsigned level = 1; level < rank_layout::levels; ++level) bits += layout_.items[level];
        const std::uint64_t words = bits / bit_span::cells_per_word + 1;
        auto memory = aligned_buffer::zeroed(words * bit_span::word_bytes);
        if (!memory) return memory.error();
        bit_span owned(memory->data(), words);
        for (std::uint64_t i = 0; i < layout_.items[0]; ++i)
            if (auto checked = check_bucket(i, owned); !checked) return checked;
        for (unsigned level = 1; level < rank_layout::levels; ++level)
            if (auto checked = check_pool(level, owned); !checked) return checked;
        const std::uint64_t end = 8 * *packed_bits::size_bytes(layout_.size_bits);
        if (!store_.bits_.are_zero(layout_.size_bits,
                                   end - layout_.size_bits - 8 * packed_bits::slack_bytes) ||
            load_le<std::uint64_t>(store_.bits_.at(end) - packed_bits::slack_bytes) != 0)
            return make_error(errc::bad_payload, "bits behind the end are not zero");
        return {};
    }

private:
    // The bit of `owned` that records an extension.
    std::uint64_t owned_bit(unsigned level, std::uint64_t item) const noexcept {
        return (level == 1 ? 0 : layout_.items[1]) + item;
    }

    result<void> check_bucket(std::uint64_t number, bit_span& owned) const {
        auto whole = store_.plain_bucket(number);
        while (!store_.is_last(whole.level)) {
            const std::uint64_t from = whole.items[whole.level];
            const std::uint64_t to = store_.link_of(whole.level, from);
            if (!store_.bits_.test(store_.link_at(whole.level, from))) {
                if (to != 0)
                    return make_error(errc::bad_payload, "pointer of a bucket that has no extension")
                        .with_found(number);
                break;
            }
            if (to >= layout_.items[whole.level + 1] ||
                !store_.bits_.test(layout_.taken_at[whole.level + 1] + to))
                return make_error(errc::bad_payload, "pointer to an extension that is not taken")
                    .with_found(number);
            const std::uint64_t met = owned_bit(whole.level + 1, to);
            if (owned.test(met))
                return make_error(errc::bad_payload, "pointer to an extension of another bucket")
                    .with_found(number);
            owned.set(met);
            store_.append_extension(whole, to);
        }
        if (!whole.bucket.is_well_formed())
            return make_error(errc::bad_payload, "a bucket is not well formed").with_found(number);
        if (whole.level != 0 && whole.bucket.size() <= whole.bucket.capacity() - layout_.cells[whole.level])
            return make_error(errc::bad_payload, "an extension is empty").with_found(number);
        return {};
    }

    result<void> check_pool(unsigned level, const bit_span& owned) const {
        for (std::uint64_t i = 0; i < layout_.items[level]; ++i) {
            if (store_.bits_.test(layout_.taken_at[level] + i)) {
                if (!owned.test(owned_bit(level, i)))
                    return make_error(errc::bad_payload, "an extension that is taken belongs to no bucket")
                        .with_found(i);
            } else if (!store_.bits_.are_zero(store_.item_at(level, i), layout_.item_bits[level])) {
                return make_error(errc::bad_payload, "an extension that is free is not zero").with_found(i);
            }
        }
        return {};
    }

    const rank_store& store_;
    const rank_layout& layout_;
};

MEMBRANE_TARGET_END
