// Balanced filters made by hand, and views of them that tell loads and costs.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/kind/balanced_bloom/view.hpp>
#include <membrane/model/balanced_process.hpp>
#include <membrane/model/multi_level.hpp>
#include <membrane/part/batch.hpp>

#include "support/filters.hpp"

namespace membrane::test {

struct balanced_shape {
    std::uint64_t scheme = scheme::multi_level;
    stop_rule rule = stop_rule::flag_coin;
    std::uint64_t block_bits = 512;
    std::uint64_t k = 8;
    std::uint64_t d = 1;
    std::vector<model::sub_table> tables{};  // `share` is a number of blocks here
    std::uint64_t list_slots = 0;
    std::uint64_t planned_keys = 0;
    std::uint64_t accesses_permille = 0;
};

inline filter_spec spec_of(const balanced_shape& shape) {
    filter_spec spec = initial_spec(kind_id::balanced_bloom, balanced_bloom_fields);
    spec.planned_keys = shape.planned_keys;
    spec[balanced_field::scheme] = shape.scheme;
    spec[balanced_field::rule] = static_cast<std::uint64_t>(shape.rule);
    spec[balanced_field::block_bits] = shape.block_bits;
    spec[balanced_field::k] = shape.k;
    spec[balanced_field::d] = shape.d;
    spec[balanced_field::list_slots] = shape.list_slots;
    spec[balanced_field::accesses_permille] = shape.accesses_permille;
    for (std::size_t i = 0; i < shape.tables.size(); ++i) {
        spec[balanced_field::blocks(i)] = static_cast<std::uint64_t>(shape.tables[i].share);
        spec[balanced_field::h(i)] = shape.tables[i].h;
        spec[balanced_field::p(i)] =
            static_cast<std::uint64_t>(std::min(shape.tables[i].p * 0x1p32, 0x1p32 - 1));
    }
    return spec;
}

// The closed-form design of the report for n keys and B / r bits per key, with room for everything in the list.
inline balanced_shape paper_shape(std::uint64_t n, double a, std::uint64_t d, double r,
                                  std::uint64_t block_bits, std::uint64_t k, stop_rule rule) {
    const auto design = value_of(model::multi_level(a, d, r));
    balanced_shape shape{scheme::multi_level, rule, block_bits, k, d, model::tables_of(design), n, n, 0};
    const double blocks = static_cast<double>(n) / r;
    for (model::sub_table& table : shape.tables)
        table.share = std::max(1.0, std::round(table.share * blocks));
    return shape;
}

inline model::balanced_setup setup_of(const balanced_shape& shape) {
    model::balanced_setup setup{{},
                                shape.d,
                                shape.block_bits,
                                shape.k,
                                static_cast<model::query_rule>(shape.rule),
                                static_cast<double>(shape.list_slots)};
    for (const model::sub_table& table : shape.tables)
        setup.tables.push_back({table.share, table.h, table.p});
    return setup;
}

// Standard deviation of a filter's own rate over hash keys.
inline double rate_scatter(const balanced_shape& shape, std::uint64_t keys) {
    return find_entry(kind_id::balanced_bloom)->plan.fpr_stddev_between(spec_of(shape), keys);
}

template <unsigned BlockBits, class Placement>
class balanced_filter {
public:
    using view_type = balanced_bloom_view<BlockBits, Placement>;

    explicit balanced_filter(const filter_spec& spec)
        : spec_(spec),
          buffer_(value_of(aligned_buffer::zeroed(*view_type::payload_bytes(spec)))),
          view_(spec_, buffer_.data()) {
        expect_done(check_balanced_bloom_spec(spec));
    }

    void insert_integers(const hasher& hash, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i) view_.insert(hash(i));
    }
    view_type& view() { return view_; }
    const view_type& view() const { return view_; }

    // Of the blocks first .. first + count - 1: how many have each load.
    std::vector<std::uint64_t> loads(std::uint64_t first, std::uint64_t count, std::uint64_t h) const {
        std::vector<std::uint64_t> found(static_cast<std::size_t>(h) + 2);
        for (std::uint64_t number = first; number < first + count; ++number) ++found[state_of(number).load];
        return found;
    }

    // Load and refusals of a block, read from its bytes.
    block_state state_of(std::uint64_t number) const {
        std::size_t table = 0;
        for (std::uint64_t end = spec_[balanced_field::blocks(0)]; number >= end && table < 2;)
            end += spec_[balanced_field::blocks(++table)];
        using block = bloom_block<BlockBits>;
        const typename block::form form(spec_[balanced_field::h(table)],
                                        has_flag(static_cast<stop_rule>(spec_[balanced_field::rule])));
        return block(const_cast<std::byte*>(buffer_.data()) + number * block::bytes, form).state();
    }

    // What a lookup reads: blocks, and whether the list was asked.
    struct cost {
        bool found = false;
        std::uint64_t blocks = 0;
        bool list = false;
    };
    cost cost_of(key_hash hash) const {
        cost spent{view_.may_contain(hash), 0, false};
        const std::uint64_t block_bytes = balanced_blocks(spec_) * (BlockBits / 8);
        view_.trace_lookup(hash, [&](std::uint64_t offset) {
            if (offset < block_bytes) ++spent.blocks;
            else spent.list = true;
        });
        return spent;
    }

private:
    filter_spec spec_;
    aligned_buffer buffer_;
    view_type view_;
};

}  // namespace membrane::test
