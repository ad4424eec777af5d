// The header-only filters by name, and what each is made from:
//
//   balanced_rank_filter(keys, fpr)            grows; the fewest bits, one cache line a lookup
//   balanced_rank_filter(keys, fpr, grow_to{n})      the rate is kept up to n keys (otherwise up to `keys`)
//   erasable_balanced_rank_filter(keys, fpr)   the same, and keys can be erased and counted
//   fixed_balanced_rank_filter(keys, fpr)      does not grow: fewer bits, full a little above `keys`
//   blocked_bloom_filter(keys, fpr)            the fastest lookups; never full, the rate rises
//   blocked_bloom_anywhere_filter(keys, fpr)   the same with fewer bits at low rates
//   bloom_filter(keys, fpr)                    the Bloom filter
//   counting_bloom_filter(keys, fpr)           whose keys can be erased
//   rank_filter(keys, fpr)                     fingerprints that can be erased; full a little above `keys`
//   rank_counting_filter(keys, fpr)            with a count for each key
//   rank_map(keys, fpr, value_bits{8})         with a value for each key
//   count_min_sketch(error, confidence)        counts: at most error x total too high, with this probability
//
// basic_...<Hash> is the same with a hash function of the program's own. A size instead of a rate: (keys, bits_per_key{12}).
// double_hashed_bloom_filter and balanced_bloom_filter are made from a spec.
#pragma once

#include <algorithm>
#include <cstdint>

#include <membrane/filter/typed.hpp>
#include <membrane/kind/balanced_bloom/view.hpp>
#include <membrane/kind/balanced_rank/sizing.hpp>
#include <membrane/kind/balanced_rank/view.hpp>
#include <membrane/kind/blocked_bloom/sizing.hpp>
#include <membrane/kind/blocked_bloom/view.hpp>
#include <membrane/kind/bloom/view.hpp>
#include <membrane/kind/count_min/sizing.hpp>
#include <membrane/kind/count_min/view.hpp>
#include <membrane/kind/counting_bloom/view.hpp>
#include <membrane/kind/rank/sizing.hpp>
#include <membrane/kind/rank/view.hpp>

namespace membrane {

// Up to how many keys a filter that grows keeps its rate.
struct grow_to {
    std::uint64_t keys;
    constexpr explicit grow_to(std::uint64_t most) : keys(most) {}
};
// Bits of the value that each key of a rank_map carries.
struct value_bits {
    std::uint64_t bits;
    constexpr explicit value_bits(std::uint64_t wanted) : bits(wanted) {}
};

}  // namespace membrane

MEMBRANE_TARGET_BEGIN

// A shape names a store and says how it is sized.
namespace shape {

template <std::uint64_t Form>
struct growing_rank {
    using store = growing_store<Form>;
    static result<filter_spec> spec_for(std::uint64_t keys, double fpr, grow_to most = grow_to(0)) {
        return balanced_rank_numbers_spec_for(Form, keys, fpr, most.keys);
    }
};
struct fixed_rank {
    using store = view_store<balanced_rank_family, balanced_rank_form::fixed>;
    static result<filter_spec> spec_for(std::uint64_t keys, double fpr) {
        return balanced_rank_fixed_spec_for(keys, fpr);
    }
};
struct blocked_bloom {
    using store = view_store<blocked_bloom_family, 5>;  // lines of 512 bits in lanes of 64
    template <class Size>
    static result<filter_spec> spec_for(std::uint64_t keys, Size size) {
        return blocked_bloom_spec_for(keys, size);
    }
};
struct blocked_bloom_anywhere {
    using store = view_store<blocked_bloom_family, 1>;  // lines of 512 bits
    template <class Size>
    static result<filter_spec> spec_for(std::uint64_t keys, Size size) {
        return blocked_bloom_anywhere_spec_for(keys, size);
    }
};
// Independent probes keep their promise at every size and rate; double hashing saves multiplications (kind/bloom/spec.hpp says when it is
// as good).
struct bloom {
    using store = view_store<bloom_family, 0>;
    template <class Size>
    static result<filter_spec> spec_for(std::uint64_t keys, Size size) {
        return bloom_spec_for(keys, size, probes::independent);
    }
};
struct double_hashed_bloom {
    using store = view_store<bloom_family, 1>;
};
struct counting_bloom {
    using store = view_store<counting_bloom_family, 0>;
    template <class Size>
    static result<filter_spec> spec_for(std::uint64_t keys, Size size) {
        return counting_bloom_spec_for(keys, size, probes::independent);
    }
};
struct balanced_bloom {
    using store = view_store<balanced_bloom_family, 8>;  // lines of 512 bits, multi_level
};
template <std::uint64_t Mode>
struct rank {
    using store = view_store<rank_family, Mode>;
    static result<filter_spec> spec_for(std::uint64_t keys, double fpr) requires(Mode != rank_mode::map) {
        return rank_spec_for(keys, fpr, Mode, 0);
    }
    static result<filter_spec> spec_for(std::uint64_t keys, double fpr,
                                        value_bits value) requires(Mode == rank_mode::map) {
        return rank_spec_for(keys, fpr, Mode, value.bits);
    }
};
struct count_min {
    using store = view_store<count_min_family, 3>;
    static result<filter_spec> spec_for_error(double error, double confidence) {
        return count_min_spec_for(error, confidence);
    }
};

}  // namespace shape

template <class Hash>
using basic_balanced_rank_filter = typed_filter<shape::growing_rank<balanced_rank_form::growable>, Hash>;
template <class Hash>
using basic_erasable_balanced_rank_filter =
    typed_filter<shape::growing_rank<balanced_rank_form::erasable>, Hash>;
template <class Hash>
using basic_fixed_balanced_rank_filter = typed_filter<shape::fixed_rank, Hash>;
template <class Hash>
using basic_blocked_bloom_filter = typed_filter<shape::blocked_bloom, Hash>;
template <class Hash>
using basic_blocked_bloom_anywhere_filter = typed_filter<shape::blocked_bloom_anywhere, Hash>;
template <class Hash>
using basic_bloom_filter = typed_filter<shape::bloom, Hash>;
template <class Hash>
using basic_counting_bloom_filter = typed_filter<shape::counting_bloom, Hash>;
template <class Hash>
using basic_rank_filter = typed_filter<shape::rank<rank_mode::set>, Hash>;
template <class Hash>
using basic_rank_counting_filter = typed_filter<shape::rank<rank_mode::counting>, Hash>;
template <class Hash>
using basic_rank_map = typed_filter<shape::rank<rank_mode::map>, Hash>;
template <class Hash>
using basic_count_min_sketch = typed_filter<shape::count_min, Hash>;

using balanced_rank_filter = basic_balanced_rank_filter<hasher>;
using erasable_balanced_rank_filter = basic_erasable_balanced_rank_filter<hasher>;
using fixed_balanced_rank_filter = basic_fixed_balanced_rank_filter<hasher>;
using blocked_bloom_filter = basic_blocked_bloom_filter<hasher>;
using blocked_bloom_anywhere_filter = basic_blocked_bloom_anywhere_filter<hasher>;
using bloom_filter = basic_bloom_filter<hasher>;
using double_hashed_bloom_filter = typed_filter<shape::double_hashed_bloom>;
using counting_bloom_filter = basic_counting_bloom_filter<hasher>;
using balanced_bloom_filter = typed_filter<shape::balanced_bloom>;
using rank_filter = basic_rank_filter<hasher>;
using rank_counting_filter = basic_rank_counting_filter<hasher>;
using rank_map = basic_rank_map<hasher>;
using count_min_sketch = basic_count_min_sketch<hasher>;

MEMBRANE_TARGET_END
