#include "settings.hpp"

#include "arguments.hpp"
#include "filter_chain.hpp"

namespace membrane::redis {

namespace {

bool set_rate(double& target, std::string_view value) {
    const auto rate = number_from<double>(value);
    if (!rate || !(*rate > 0 && *rate < 1)) return false;
    target = *rate;
    return true;
}

bool set_count(std::uint64_t& target, std::string_view value, std::uint64_t least, std::uint64_t most) {
    const auto count = number_from<std::uint64_t>(value);
    if (!count || *count < least || *count > most) return false;
    target = *count;
    return true;
}

bool set_max_bytes(std::string_view value) {
    const auto bytes = byte_count_from(value);
    if (!bytes || *bytes == 0) return false;
    settings.max_bytes = *bytes;
    return true;
}

bool set_prefix(std::string_view value) {
    // No spaces, and not the names of other families.
    for (const char letter : value)
        if (letter <= ' ' || letter > '~') return false;
    for (const std::string_view taken : {"BF.", "CF.", "CMS."})
        if (is_word(value, taken)) return false;
    settings.prefix = value;
    return !value.empty();
}

bool set_compatible(std::string_view value) {
    settings.is_compatible = is_word(value, "YES");
    return settings.is_compatible || is_word(value, "NO");
}

struct setting_row {
    std::string_view name;
    bool (*set)(std::string_view);
    std::string_view wanted;
};

constexpr std::uint64_t most = most_planned_keys;
constexpr setting_row rows[] = {
    {"PREFIX", set_prefix, "printable letters, not BF., CF. or CMS."},
    {"COMPAT", set_compatible, "yes or no"},
    {"MAX-BYTES", set_max_bytes, "a number of bytes above 0, also as 64kb, 128mb, 2gb"},
    {"HASH-KEY", [](std::string_view value) { return (settings.key = hash_key_from_hex(value)).has_value(); },
     "32 hexadecimal digits"},
    {"BF-ERROR-RATE", [](std::string_view value) { return set_rate(settings.bf_error_rate, value); },
     "a rate between 0 and 1"},
    {"BF-INITIAL-SIZE",
     [](std::string_view value) { return set_count(settings.bf_initial_size, value, 1, most); }, "1 to 2^40"},
    {"BF-EXPANSION-FACTOR",
     [](std::string_view value) { return set_count(settings.bf_expansion, value, 0, most_expansion); },
     "0 to 32768"},
    {"CF-ERROR-RATE", [](std::string_view value) { return set_rate(settings.cf_error_rate, value); },
     "a rate between 0 and 1"},
    {"CF-INITIAL-SIZE",
     [](std::string_view value) { return set_count(settings.cf_initial_size, value, 1, most); }, "1 to 2^40"},
    {"CF-EXPANSION-FACTOR",
     [](std::string_view value) { return set_count(settings.cf_expansion, value, 0, most_expansion); },
     "0 to 32768"},
};

const setting_row* find_setting(std::string_view name) {
    for (const setting_row& row : rows)
        if (is_word(name, row.name)) return &row;
    return nullptr;
}

}  // namespace

std::string read_settings(std::span<text* const> words) {
    if (words.size() % 2 != 0) return "settings come as pairs: NAME VALUE";
    for (std::size_t i = 0; i < words.size(); i += 2) {
        const std::string name(view_of(words[i]));
        const setting_row* const row = find_setting(name);
        if (row == nullptr) return "no setting '" + name + "'";
        if (!row->set(view_of(words[i + 1])))
            return name + ": '" + std::string(view_of(words[i + 1])) + "', expected " +
                   std::string(row->wanted);
    }
    return {};
}

std::string command_name(const std::string& family_name) {
    return settings.is_compatible ? family_name : settings.prefix + family_name;
}

std::string own_name(const std::string& name) { return settings.prefix + name; }

}  // namespace membrane::redis
