// The user's keys for `membrane bench`: all different keys, in memory. Strangers are random bytes with the lengths of the
// keys, at least eight so that a stranger is not a member by chance: the time of a hash depends on the length only.
#pragma once

#include <cstdint>
#include <optional>

#include <timing/key_supply.hpp>

#include "key_reader.hpp"

namespace membrane::cli {

class file_keys : public timing::key_supply {
public:
    // Reads all files, or stops after `most` different keys. Throws failure.
    file_keys(const key_source& source, const hasher& hash, std::optional<std::uint64_t> most, bool is_quiet);

    std::uint64_t held() const { return keys_.size(); }
    // Makes the first `count` keys the members.
    void use_first(std::uint64_t count) { members_ = count; }

    std::uint64_t members() const override { return members_; }
    timing::key_type type() const override { return keys_.type(); }
    double mean_key_bytes() const override;
    void add_member(std::uint64_t number, timing::key_set& to) const override { to.add(keys_.key(number)); }
    void add_stranger(std::uint64_t number, timing::key_set& to) const override;

private:
    timing::key_set keys_;
    std::uint64_t members_ = 0;
};

}  // namespace membrane::cli
