// What the module was told when it was loaded: `loadmodule membrane.so NAME VALUE ...`. Fixed for the life of the server.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <membrane/hash/hash_key.hpp>

#include "abi.hpp"

namespace membrane::redis {

struct module_settings {
    std::string prefix = "MBR.";
    bool is_compatible = true;  // BF.*, CF.* and CMS.* under these names; otherwise behind the prefix
    std::uint64_t max_bytes = std::uint64_t{128} << 20;  // of one key
    double bf_error_rate = 0.01;
    std::uint64_t bf_initial_size = 100;
    std::uint64_t bf_expansion = 2;
    double cf_error_rate = 0.01;
    std::uint64_t cf_initial_size = 1024;
    std::uint64_t cf_expansion = 1;
    std::optional<hash_key> key;  // of every new filter; otherwise a random one each
};
inline module_settings settings;

inline constexpr std::uint64_t most_planned_keys = std::uint64_t{1} << 40;

// What was wrong with the arguments; empty if nothing was.
std::string read_settings(std::span<text* const> words);

// "BF.ADD" as it is registered here.
std::string command_name(const std::string& family_name);
std::string own_name(const std::string& name);

}  // namespace membrane::redis
