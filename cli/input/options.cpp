#include "options.hpp"

#include <charconv>

#include <fmt/core.h>

#include "cli/print/numbers.hpp"

namespace membrane::cli {

namespace {

const std::vector<std::string> format_names{"lines", "nul", "u64", "hex"};

std::optional<char> parse_delimiter(std::string_view text) {
    if (text.size() == 1) return text[0];
    if (text == "\\t" || text == "tab") return '\t';
    return std::nullopt;
}

std::optional<int> parse_field(std::string_view text) {
    int number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size() || number == 0 || number < -1'000'000)
        return std::nullopt;
    return number;
}

}  // namespace

tool_option add_filter(const tool_command& command, std::string& path, std::string_view meaning) {
    return command.text(filter_value, path, filter_value, meaning).required();
}

tool_option add_output(const tool_command& command, std::string& path, std::string_view meaning) {
    return add_file_output(command, path, filter_value, meaning);
}

tool_option add_file_output(const tool_command& command, std::string& path, std::string_view value_name,
                            std::string_view meaning) {
    return command.text("-o,--output", path, value_name, meaning).required();
}

tool_option add_quiet(const tool_command& command, bool& is_quiet) {
    return command.flag("-q,--quiet", is_quiet, "Print nothing unless something fails");
}

tool_option add_force(const tool_command& command, bool& is_forced) {
    return command.flag("--force", is_forced, "Replace an existing output, as a whole or not at all");
}

tool_option add_json(const tool_command& command, bool& is_json) {
    return command.flag("--json", is_json, "Print JSON (doc/json.md)");
}

tool_option add_max_bytes(const tool_command& command, std::optional<std::uint64_t>& max_bytes,
                          std::string_view default_limit) {
    return add_bytes(command, "--max-bytes", max_bytes,
                     fmt::format("Refuse to make a filter larger than this (default: {})", default_limit));
}

tool_option add_count(const tool_command& command, std::string_view names, std::uint64_t& count,
                      std::string_view meaning) {
    return add_parsed(command, names, count, parse_count, "N", count_wanted, meaning);
}

tool_option add_bytes(const tool_command& command, std::string_view names,
                      std::optional<std::uint64_t>& bytes, std::string_view meaning) {
    return add_parsed(command, names, bytes, parse_bytes, "SIZE", bytes_wanted, meaning);
}

tool_option add_positive(const tool_command& command, std::string_view names, std::string_view value_name,
                         std::optional<double>& number, std::string_view meaning) {
    return add_parsed(command, names, number, parse_positive, value_name, positive_wanted, meaning);
}

tool_option add_fpr(const tool_command& command, std::optional<double>& fpr, std::string_view adjective) {
    return add_parsed(command, "--fpr", fpr, parse_rate, "P", rate_wanted,
                      fmt::format("{} false positive rate: 0.001, 1e-3 or 0.1% (default 1%)", adjective));
}

void add_fpr_or_bits(const tool_command& command, std::optional<double>& fpr,
                     std::optional<double>& bits_per_key, std::string_view adjective) {
    const tool_option rate = add_fpr(command, fpr, adjective);
    add_positive(command, "--bits-per-key", "X", bits_per_key, "Size instead of rate: bits for each key")
        .excludes(rate);
}

void add_growth(const tool_command& command, plan::requirement& wanted) {
    const auto parse = [](std::string_view text) {
        const auto number = parse_count(text);
        return number == 0 ? std::nullopt : number;
    };
    const tool_option grow_to =
        add_parsed(command, "--grow-to", wanted.grow_to, parse, "N", count_wanted,
                   "Keep the rate up to N keys: the filter has the size for its present keys and grows");
    const tool_option erase =
        command.flag("--delete", wanted.needs.erase, "Keys must be removable (`membrane remove`)");
    command
        .flag(
            "--fixed", wanted.is_fixed,
            "No key is added beyond the planned number: what does not grow takes about 0.3 bits per key less")
        .excludes(grow_to)
        .excludes(erase);
}

void check_grow_to(const plan::requirement& wanted, std::uint64_t keys, std::string_view whose) {
    if (wanted.grow_to == 0 || wanted.grow_to >= keys) return;
    fail(exit_code::usage, fmt::format("--grow-to: {}, fewer than {} {} keys; give at least as many",
                                       count_text(wanted.grow_to), whose, count_text(keys)));
}

tool_option add_kind(const tool_command& command, std::string& kind) {
    return command.text("--kind", kind, kind_value,
                        "auto (what `membrane plan` ranks first), or a kind with parameters, as `membrane "
                        "kinds` lists them");
}

tool_option add_threads(const tool_command& command, unsigned& threads) {
    constexpr std::uint64_t most = 1024;
    const auto parse = [](std::string_view text) -> std::optional<unsigned> {
        const auto number = parse_count(text);
        if (!number || *number == 0 || *number > most) return std::nullopt;
        return static_cast<unsigned>(*number);
    };
    return add_parsed(command, "--threads", threads, parse, "N", "a number from 1 to 1024",
                      "Number of threads (default: one per core)");
}

void add_key_format(const tool_command& command, key_source& source) {
    const tool_option format = command.choice(
        "--format", format_names, [&source](std::size_t i) { source.format = static_cast<key_format>(i); },
        "How keys are written: one a line (default), ended by NUL, 8-byte little-endian integers, lines of "
        "hex digits");
    command
        .flag(
            "-0,--null", [&source] { source.format = key_format::nul; }, "The same as --format nul")
        .excludes(format);
    const tool_option delimiter =
        add_parsed(command, "--delimiter", source.delimiter, parse_delimiter, "C",
                   "one byte, or \\t for a tab", "The key is one field of the line; C ends a field");
    const tool_option field =
        add_parsed(command, "--field", source.field, parse_field, "I", "1, 2, ... or -1, -2, ...",
                   "Which field: 1 is the first, -1 the last");
    delimiter.needs(field);
    field.needs(delimiter);
    command.check_after_parse([&source] {
        if (source.format == key_format::u64 && source.delimiter)
            refuse_option("--delimiter", "not with --format u64: integers have no fields");
    });
}

void add_key_files(const tool_command& command, key_source& source) {
    command.texts(key_file_value, source.files, key_file_value, "Files of keys; - or none: standard input");
    add_key_format(command, source);
}

void add_hash(const tool_command& command, hash_choice& choice) {
    std::vector<std::string> names;
    for (const hash_name& each : hash_names)
        if (each.id != hash_id::precomputed) names.emplace_back(each.name);
    command.choice(
        "--hash", names,
        [&choice, names](std::size_t i) { choice.id = *hash_id_from(std::string_view(names[i])); },
        "siphash13 resists chosen keys (default); xxh3 is faster, mix the fastest for --format u64, and "
        "neither resists");
    add_parsed(command, "--key", choice.key, hash_key_from_hex, "HEX", "32 hexadecimal digits",
               "Key of the hash, 32 hex digits: for files to be merged or reproduced (default: random, kept "
               "in the file)");
}

hasher make_hasher(const hash_choice& choice, key_format format) {
    if (choice.id == hash_id::mix && format != key_format::u64)
        fail(exit_code::usage,
             "--hash mix hashes 64-bit integers only; add --format u64, or use --hash xxh3");
    if (choice.key) return {choice.id, *choice.key};
    return {choice.id, value_or_fail("random key", random_hash_key())};
}

}  // namespace membrane::cli
