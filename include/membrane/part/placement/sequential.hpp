// SEQUENTIAL: d candidates in one table, tried in turn; two of them may be the same bucket.
// Source: balanced Bloom filters, section VI.
#pragma once

#include <span>

#include <membrane/base/target.hpp>
#include <membrane/part/placement/candidates.hpp>

MEMBRANE_TARGET_BEGIN

class sequential_placement {
public:
    static constexpr std::size_t most_tables = 1;
    sequential_placement(std::span<const bucket_table> tables, std::uint64_t tries) noexcept
        : table_(tables[0]), tries_(tries) {}

    std::uint64_t tries() const noexcept { return tries_; }
    std::uint64_t bucket(key_hash hash, std::uint64_t j) const noexcept { return table_.candidate(hash, j); }
    std::size_t table_of(std::uint64_t) const noexcept { return 0; }
    acceptance accepts(std::uint64_t) const noexcept { return table_.rule; }

    bucket_table table(std::size_t) const noexcept { return table_; }

private:
    bucket_table table_;
    std::uint64_t tries_;
};

static_assert(placement<sequential_placement>);

MEMBRANE_TARGET_END
