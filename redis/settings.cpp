#include "settings.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "command.hpp"
#include "filter_stack.hpp"

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
    // Printable characters without spaces, and none of the prefixes of the compatible families.
    for (const char character : value)
        if (character <= ' ' || character > '~') return false;
    for (const std::string_view taken : {"BF.", "CF.", "CMS.", "TOPK."})
        if (is_word(value, taken)) return false;
    settings.prefix = value;
    return !value.empty();
}

// The digits are in a file because MODULE LIST shows the settings. White space around them is left out.
bool read_key_file(std::string_view path) {
    std::FILE* const file = std::fopen(std::string(path).c_str(), "re");
    if (file == nullptr) return false;
    char text[64];
    const std::size_t length = std::fread(text, 1, sizeof text, file);
    std::fclose(file);
    constexpr std::string_view space = " \t\r\n";
    std::string_view digits(text, length);
    digits.remove_prefix(std::min(digits.find_first_not_of(space), digits.size()));
    digits = digits.substr(0, digits.find_last_not_of(space) + 1);
    return (settings.key = hash_key_from_hex(digits)).has_value();
}

bool set_compatible(std::string_view value) {
    settings.is_compatible = is_word(value, "YES");
    return settings.is_compatible || is_word(value, "NO");
}

struct setting_row {
    std::string_view name;
    bool (*set)(std::string_view);
    std::string_view expected;
};

constexpr std::uint64_t most_keys = max_planned_keys;
constexpr setting_row setting_rows[] = {
    {"PREFIX", set_prefix, "printable letters, not BF., CF., CMS. or TOPK."},
    {"COMPAT", set_compatible, "yes or no"},
    {"MAX-BYTES", set_max_bytes, "a number of bytes above 0, also as 64kb, 128mb, 2gb"},
    {"HASH-KEY-FILE", read_key_file, "the path of a file with 32 hexadecimal digits"},
    {"BF-ERROR-RATE", [](std::string_view value) { return set_rate(settings.bf_error_rate, value); },
     "a rate between 0 and 1"},
    {"BF-INITIAL-SIZE",
     [](std::string_view value) { return set_count(settings.bf_initial_size, value, 1, most_keys); },
     "1 to 2^40"},
    {"BF-EXPANSION-FACTOR",
     [](std::string_view value) { return set_count(settings.bf_expansion, value, 0, max_expansion); },
     "0 to 32768"},
    {"CF-ERROR-RATE", [](std::string_view value) { return set_rate(settings.cf_error_rate, value); },
     "a rate between 0 and 1"},
    {"CF-INITIAL-SIZE",
     [](std::string_view value) { return set_count(settings.cf_initial_size, value, 1, most_keys); },
     "1 to 2^40"},
    {"CF-EXPANSION-FACTOR",
     [](std::string_view value) { return set_count(settings.cf_expansion, value, 0, max_expansion); },
     "0 to 32768"},
    {"CF-BUCKET-SIZE",
     [](std::string_view value) { return set_count(settings.cf_bucket_size, value, 1, 255); }, "1 to 255"},
    {"CF-MAX-ITERATIONS",
     [](std::string_view value) { return set_count(settings.cf_max_iterations, value, 1, 65535); },
     "1 to 65535"},
    // Filters grow without such a limit.
    {"CF-MAX-EXPANSIONS",
     [](std::string_view value) {
         std::uint64_t ignored = 0;
         return set_count(ignored, value, 1, 65535);
     },
     "1 to 65535"},
};

// Older names of RedisBloom.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"ERROR_RATE", "BF-ERROR-RATE"},
    {"INITIAL_SIZE", "BF-INITIAL-SIZE"},
    {"CF_MAX_EXPANSIONS", "CF-MAX-EXPANSIONS"},
};

const setting_row* find_setting(std::string_view name) {
    for (const auto& [other, usual] : other_names)
        if (is_word(name, other)) return find_setting(usual);
    for (const setting_row& row : setting_rows)
        if (is_word(name, row.name)) return &row;
    return nullptr;
}

// Empty until a sketch is created, loaded or replicated.
std::optional<hash_key> shared_sketch_key;

}  // namespace

std::string read_settings(context* ctx, std::span<server_string* const> arguments) {
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const std::string name(view_of(arguments[i]));
        const setting_row* const row = find_setting(name);
        if (row == nullptr) {
            server.log(ctx, "warning", "membrane: there is no setting '%s'; it is ignored", name.c_str());
            continue;
        }
        if (i + 1 == arguments.size()) return name + " has no value: settings come as pairs, NAME VALUE";
        const std::string value(view_of(arguments[i + 1]));
        if (!row->set(value)) return name + ": '" + value + "', expected " + std::string(row->expected);
    }
    return {};
}

namespace {
// Servers register their own commands so, and count calls under these names.
std::string lower_case(std::string text) {
    for (char& letter : text)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter | 0x20);
    return text;
}
}  // namespace

std::string command_name(const std::string& family_name) {
    return lower_case(settings.is_compatible ? family_name : settings.prefix + family_name);
}

std::string own_name(const std::string& name) { return lower_case(settings.prefix + name); }

stack_options default_bf_options() {
    return {.role = stack_role::membership,
            .error_rate = settings.bf_error_rate,
            .expansion = settings.bf_expansion,
            .first_keys = settings.bf_initial_size};
}

// The bucket size and the number of iterations are the defaults of RedisBloom; CF.INFO shows them.
stack_options default_cf_options() {
    return {.role = stack_role::erasable,
            .error_rate = settings.cf_error_rate,
            .expansion = settings.cf_expansion,
            .first_keys = settings.cf_initial_size,
            .bucket_size = static_cast<std::uint32_t>(settings.cf_bucket_size),
            .max_iterations = static_cast<std::uint32_t>(settings.cf_max_iterations)};
}

result<hash_key> new_filter_key(const std::optional<hash_key>& given) {
    if (given) return *given;
    if (settings.key) return *settings.key;
    return random_hash_key();
}

result<hash_key> new_sketch_key() {
    if (settings.key) return *settings.key;
    if (shared_sketch_key) return *shared_sketch_key;
    const auto made = random_hash_key();
    if (made) shared_sketch_key = *made;
    return made;
}

void remember_sketch_key(const filter_stack& stack) {
    if (stack.options().role == stack_role::counts && !shared_sketch_key)
        shared_sketch_key = stack.hash().key;
}

}  // namespace membrane::redis
