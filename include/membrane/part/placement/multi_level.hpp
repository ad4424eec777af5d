// MULTI_LEVEL: d sub-tables, one candidate in each, usually ever smaller ones; a key that one refuses goes on to the
// next. Source: balanced Bloom filters, section VII (there "multi-level hash table").
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include <membrane/base/target.hpp>
#include <membrane/part/placement/candidates.hpp>

MEMBRANE_TARGET_BEGIN

class multi_level_placement {
public:
    static constexpr std::size_t most_tables = 3;
    multi_level_placement(std::span<const bucket_table> tables, std::uint64_t tries) noexcept
        : tries_(tries) {
        std::copy_n(tables.begin(), std::min<std::size_t>(tables.size(), most_tables), tables_.begin());
    }

    std::uint64_t tries() const noexcept { return tries_; }
    std::uint64_t bucket(key_hash hash, std::uint64_t j) const noexcept {
        return tables_[j].candidate(hash, j);
    }
    std::size_t table_of(std::uint64_t j) const noexcept { return static_cast<std::size_t>(j); }
    acceptance accepts(std::uint64_t j) const noexcept { return tables_[j].rule; }

    bucket_table table(std::size_t i) const noexcept { return tables_[i]; }

private:
    std::array<bucket_table, most_tables> tables_{};
    std::uint64_t tries_;
};

static_assert(placement<multi_level_placement>);

MEMBRANE_TARGET_END
