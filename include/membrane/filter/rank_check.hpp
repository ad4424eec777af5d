// Whether a payload of the kind `rank` can be answered from: every bucket is well formed, every extension belongs to
// exactly one, and all that is not in use is zero. Allocates nothing.
#pragma once

#include <bit>
#include <cstdint>

#include <membrane/filter/rank_store.hpp>
#include <membrane/hash/integer_mix.hpp>

namespace membrane {

class rank_store_check {
public:
    explicit rank_store_check(const rank_store& store) noexcept : store_(store), layout_(store.layout_) {}

    result<void> run() {
        for (std::uint64_t i = 0; i < layout_.items[0]; ++i)
            if (auto checked = check_bucket(i); !checked) return checked;
        for (unsigned level = 1; level < rank_layout::levels; ++level)
            if (auto checked = check_pool(level); !checked) return checked;
        const std::uint64_t end = 8 * *packed_bits::size_bytes(layout_.size_bits);
        if (!store_.bits_.are_zero(layout_.size_bits,
                                   end - layout_.size_bits - 8 * packed_bits::slack_bytes) ||
            load_le<std::uint64_t>(store_.bits_.at(end) - packed_bits::slack_bytes) != 0)
            return make_error(errc::bad_payload, "bits behind the end are not zero");
        return {};
    }

private:
    // Extensions of a level as the buckets know them, and as the pool does: how many, and a sum that tells different sets
    // of numbers apart (two equal ones and a missing one would have to agree in 64 bits).
    struct tally {
        std::uint64_t count = 0, sum = 0;
        void add(std::uint64_t number) noexcept {
            ++count;
            sum += finalise64(finalise64(number + 1));
        }
        friend bool operator==(const tally&, const tally&) = default;
    };

    result<void> check_bucket(std::uint64_t number) {
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
            known_[whole.level + 1].add(to);
            store_.add(whole, to);
        }
        if (!whole.bucket.is_well_formed())
            return make_error(errc::bad_payload, "a bucket is not well formed").with_found(number);
        if (whole.level != 0 && whole.bucket.size() <= whole.bucket.capacity() - layout_.cells[whole.level])
            return make_error(errc::bad_payload, "an extension is empty").with_found(number);
        return {};
    }

    result<void> check_pool(unsigned level) const {
        tally taken;
        for (std::uint64_t i = 0; i < layout_.items[level]; ++i) {
            if (store_.bits_.test(layout_.taken_at[level] + i)) taken.add(i);
            else if (!store_.bits_.are_zero(store_.item_at(level, i), layout_.item_bits[level]))
                return make_error(errc::bad_payload, "an extension that is free is not zero").with_found(i);
        }
        if (!(taken == known_[level]))
            return make_error(errc::bad_payload,
                              "extensions and the buckets that point at them do not match");
        return {};
    }

    const rank_store& store_;
    const rank_layout& layout_;
    tally known_[rank_layout::levels];
};

}  // namespace membrane
