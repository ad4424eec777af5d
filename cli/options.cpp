#include "options.hpp"

#include <charconv>
#include <memory>

#include <fmt/format.h>

#include "numbers.hpp"
#include "report.hpp"

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

CLI::Option* add_choice(CLI::App& app, const std::string& name, const std::vector<std::string>& choices,
                        const std::function<void(std::size_t)>& choose, const std::string& meaning) {
    const std::string list = CLI::detail::join(choices, std::string(1, choice_separator));
    CLI::Option* const option = app.add_option_function<std::string>(
        name,
        [choices, choose, name, list](const std::string& text) {
            for (std::size_t i = 0; i < choices.size(); ++i)
                if (choices[i] == text) return choose(i);
            throw CLI::ValidationError(name, fmt::format("'{}', expected {}", text, list));
        },
        meaning);
    return option->type_name(list);
}

CLI::Option* add_filter(CLI::App& app, std::string& path, const std::string& meaning) {
    return app.add_option(filter_type, path, meaning)->required()->type_name(filter_type);
}

CLI::Option* add_output(CLI::App& app, std::string& path, const std::string& meaning) {
    return app.add_option("-o,--output", path, meaning)->required()->type_name(filter_type);
}

CLI::Option* add_quiet(CLI::App& app, bool& is_quiet) {
    return app.add_flag("-q,--quiet", is_quiet, "Say nothing unless something fails");
}

CLI::Option* add_force(CLI::App& app, bool& is_forced) {
    return app.add_flag("--force", is_forced, "Replace the output if it exists, whole or not at all");
}

CLI::Option* add_json(CLI::App& app, bool& is_json) {
    return app.add_flag("--json", is_json, "Print JSON (doc/json.md)");
}

CLI::Option* add_max_bytes(CLI::App& app, std::optional<std::uint64_t>& max_bytes,
                           std::string_view otherwise) {
    return add_parsed(app, "--max-bytes", max_bytes, parse_bytes, "SIZE", bytes_wanted,
                      fmt::format("Refuse to make a filter larger than this (default: {})", otherwise));
}

CLI::Option* add_threads(CLI::App& app, unsigned& threads) {
    constexpr std::uint64_t most = 1024;
    const auto parse = [](std::string_view text) -> std::optional<unsigned> {
        const auto number = parse_count(text);
        if (!number || *number == 0 || *number > most) return std::nullopt;
        return static_cast<unsigned>(*number);
    };
    return add_parsed(app, "--threads", threads, parse, "N", "a number from 1 to 1024",
                      "Threads that work at once (default: as many as the machine runs)");
}

void add_key_format(CLI::App& app, key_source& source) {
    CLI::Option* const format = add_choice(
        app, "--format", format_names,
        [&source](std::size_t i) { source.format = static_cast<key_format>(i); },
        "How keys are written: one a line (default), ended by NUL, 8-byte little-endian integers, lines of "
        "hex digits");
    app.add_flag_callback(
           "-0,--null", [&source] { source.format = key_format::nul; }, "The same as --format nul")
        ->excludes(format);
    CLI::Option* const delimiter =
        add_parsed(app, "--delimiter", source.delimiter, parse_delimiter, "C", "one byte, or \\t for a tab",
                   "The key is one field of the line; C ends a field");
    CLI::Option* const field =
        add_parsed(app, "--field", source.field, parse_field, "I", "1, 2, ... or -1, -2, ...",
                   "Which field: 1 is the first, -1 the last");
    delimiter->needs(field);
    field->needs(delimiter);
    app.parse_complete_callback([&source] {
        if (source.format == key_format::u64 && source.delimiter)
            throw CLI::ValidationError("--delimiter", "not with --format u64: integers have no fields");
    });
}

void add_key_files(CLI::App& app, key_source& source) {
    app.add_option(key_file_type, source.files, "Files of keys; - or none: standard input")
        ->type_name(key_file_type);
    add_key_format(app, source);
}

void add_hash(CLI::App& app, hash_choice& choice) {
    std::vector<std::string> names;
    for (const hash_name& each : hash_names)
        if (each.id != hash_id::precomputed) names.emplace_back(each.name);
    add_choice(
        app, "--hash", names,
        [&choice, names](std::size_t i) { choice.id = *hash_id_from(std::string_view(names[i])); },
        "siphash13 resists chosen keys (default); xxh3 is faster, mix the fastest for --format u64, and "
        "neither resists");
    add_parsed(app, "--key", choice.key, hash_key_from_hex, "HEX", "32 hexadecimal digits",
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

void set_examples(CLI::App& app, const std::vector<std::string>& examples) {
    std::string text = "Examples:";
    for (const std::string& example : examples) text.append("\n  ").append(example);
    app.footer(text);
}

}  // namespace membrane::cli
