// SINGLE: one candidate; what its bucket refuses goes to the list. Source: balanced Bloom filters, section V.
#pragma once

#include <span>

#include <membrane/base/target.hpp>
#include <membrane/part/placement/candidates.hpp>

MEMBRANE_TARGET_BEGIN

class single_placement {
public:
    static constexpr std::size_t most_tables = 1;
    single_placement(std::span<const bucket_table> tables, std::uint64_t) noexcept : table_(tables[0]) {}

    std::uint64_t tries() const noexcept { return 1; }
    std::uint64_t bucket(key_hash hash, std::uint64_t j) const noexcept { return table_.candidate(hash, j); }
    std::size_t table_of(std::uint64_t) const noexcept { return 0; }
    acceptance accepts(std::uint64_t) const noexcept { return table_.rule; }

    bucket_table table(std::size_t) const noexcept { return table_; }

private:
    bucket_table table_;
};

static_assert(placement<single_placement>);

MEMBRANE_TARGET_END
