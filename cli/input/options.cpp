#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include <membrane/kind/balanced_rank/spec.hpp>

#include "cli/print/numbers.hpp"

namespace membrane::cli {

namespace {

const std::vector<std::string> format_names{"lines", "nul", "u64", "hex"};

std::optional<char> parse_delimiter(std::string_view text) {
    if (text.size() == 1) return text[0];
    if (text == "\\t" || text == "tab") return '\t';
    return std::nullopt;
}

constexpr std::size_t most_keys_of_a_line = 64;

// "2", "-1", "2+5"
std::optional<key_fields> parse_key_fields(std::string_view text) {
    key_fields fields;
    for (;;) {
        int number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (problem != std::errc{} || number == 0 || number < -1'000'000) return std::nullopt;
        fields.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) return fields;
        if (text.front() != '+' || fields.size() == most_keys_of_a_line) return std::nullopt;
        text.remove_prefix(1);
    }
}

std::optional<std::vector<key_fields>> parse_fields(std::string_view text) {
    std::vector<key_fields> keys;
    for (;;) {
        const auto fields = parse_key_fields(text.substr(0, text.find(',')));
        if (!fields || keys.size() == most_keys_of_a_line) return std::nullopt;
        keys.push_back(*fields);
        const std::size_t comma = text.find(',');
        if (comma == std::string_view::npos) return keys;
        text.remove_prefix(comma + 1);
    }
}

// Letters, and \t, \s (a blank), \\ (a backslash).
std::optional<std::string> parse_separators(std::string_view text) {
    std::string letters;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            letters += text[i];
            continue;
        }
        if (++i == text.size()) return std::nullopt;
        if (text[i] == 't') letters += '\t';
        else if (text[i] == 's') letters += ' ';
        else if (text[i] == '\\') letters += '\\';
        else return std::nullopt;
    }
    return letters.empty() ? std::nullopt : std::optional(letters);
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

tool_option add_force(const tool_command& command, bool& is_forced, std::string_view meaning) {
    return command.flag("--force", is_forced, meaning);
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

std::uint64_t most_keys_at(double fpr) {
    auto keys = static_cast<std::uint64_t>(static_cast<double>(most_universe) * fpr);
    while (keys != 0 && universe_of_at_least(static_cast<double>(keys) / fpr) == 0) --keys;
    return keys;
}

namespace {

// With three digits, not below the least.
double least_rate_for(std::uint64_t keys) {
    const double least = static_cast<double>(keys) / static_cast<double>(most_universe);
    const double step = std::pow(10, std::floor(std::log10(least)) - 2);
    return std::ceil(least / step) * step;
}

}  // namespace

void check_growing_rate(const plan::requirement& wanted) {
    if (!wanted.fpr) return;
    const std::uint64_t keys = std::max({wanted.keys, wanted.grow_to, std::uint64_t{1}});
    if (universe_of_at_least(static_cast<double>(keys) / *wanted.fpr) != 0) return;
    const std::uint64_t most = most_keys_at(*wanted.fpr);
    const double least = least_rate_for(keys);
    std::string bounds;
    const auto add = [&](const std::string& bound) {
        bounds.append(bounds.empty() ? "" : ", ").append(bound);
    };
    if (most != 0) add(fmt::format("at this rate up to {}", counted_text(most, "key", "keys")));
    if (least < 1) add("for so many keys a rate of at least " + rate_text(least));
    fail(exit_code::usage,
         fmt::format("{} at a rate of {}: more than a filter that grows can keep ({}){}",
                     counted_text(keys, "key", "keys"), rate_text(*wanted.fpr), bounds,
                     wanted.grow_to == 0 ? "; --kind auto makes one that does not grow" : ""));
}

tool_option add_kind(const tool_command& command, std::string& kind) {
    return command.text("--kind", kind, kind_value,
                        "A kind with parameters, as `membrane kinds` lists them, or auto: what `membrane "
                        "plan` ranks first (default: balanced_rank, which grows)");
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

namespace {

void check_key_format(const key_source& source) {
    const bool has_fields = !source.keys.empty();
    if (source.format == key_format::u64 && (has_fields || source.has_tokens))
        refuse_option(has_fields ? "--field" : "--each-token",
                      "not with --format u64: integers have no fields");
    if (source.format != key_format::hex) return;
    if (source.has_tokens) refuse_option("--each-token", "not with --format hex");
    for (const key_fields& fields : source.keys)
        if (fields.size() > 1)
            refuse_option("--field", "joined fields (2+5) are not hexadecimal digits; give one field");
}

void add_fields(const tool_command& command, key_source& source) {
    const tool_option delimiter =
        add_parsed(command, "--delimiter", source.delimiter, parse_delimiter, "C",
                   "one byte, or \\t for a tab", "With --field: the byte that ends a field");
    const tool_option field =
        add_parsed(command, "--field", source.keys, parse_fields, "I",
                   "1, 2, ... or -1, -2, ..., or several: 2,5 or 2+5",
                   "The key is a field of the line: 1 is the first, -1 the last; 2,5: two keys of a line; "
                   "2+5: one key of "
                   "two fields. Without --delimiter fields stand between blanks and tabs");
    delimiter.needs(field);
    const tool_option token =
        command.flag("--each-token", source.has_tokens, "Every part of the line between separators is a key")
            .excludes(field);
    add_parsed(
        command, "--separators", source.separators, parse_separators, "CHARS",
        "characters, \\t for a tab, \\s for a blank, \\\\ for a backslash",
        "With --each-token: the characters between keys (default: blanks, tabs and , ; \" ' ( ) [ ] { } < > "
        "| =)")
        .needs(token);
}

}  // namespace

void add_key_format(const tool_command& command, key_source& source, malformed_lines what) {
    const tool_option format = command.choice(
        "--format", format_names, [&source](std::size_t i) { source.format = static_cast<key_format>(i); },
        "How keys are written: one a line (default), ended by NUL, 8-byte little-endian integers, lines of "
        "hex digits");
    command
        .flag(
            "-0,--null", [&source] { source.format = key_format::nul; }, "The same as --format nul")
        .excludes(format);
    add_fields(command, source);
    command.flag("--keep-blank", source.keeps_blank,
                 "A blank line is the empty key; without it, it is left out");
    command.flag("--comments", source.has_comments, "Leave out lines that begin with #");
    command.flag(
        "--exact",
        [&source] {
            source.is_exact = true;
            source.keeps_blank = true;
        },
        "Take lines as they are: with their CR, byte order mark and blank lines");
    if (what == malformed_lines::end) {
        command.flag("--skip-malformed", source.skips_malformed,
                     "Leave out malformed lines and count them, instead of ending with code 3");
    } else {
        source.skips_malformed = true;
        command.flag(
            "--strict", [&source] { source.skips_malformed = false; },
            "End with code 3 at a malformed line, instead of leaving it out and counting it");
    }
    command.check_after_parse([&source] { check_key_format(source); });
}

void add_key_files(const tool_command& command, key_source& source, malformed_lines what) {
    command.texts(key_file_value, source.files, key_file_value,
                  "Files of keys, also compressed by gzip or zstd; - or none: standard input");
    add_key_format(command, source, what);
}

namespace {

std::string label_wanted(const error& problem) {
    if (!problem.note.empty()) return std::string(problem.note);
    return fmt::format("{} has {}, expected {} to {}", problem.what, problem.found.value_or(0),
                       problem.least.value_or(0), problem.most.value_or(0));
}

}  // namespace

void add_labels(const tool_command& command, given_labels& labels) {
    // A label is checked on its own here, so that a wrong one is refused before any work.
    command.values(
        "--label",
        [&labels](std::string_view text) {
            const std::size_t equals = text.find('=');
            if (equals == std::string_view::npos) return false;
            file_labels alone;
            const auto name = text.substr(0, equals), value = text.substr(equals + 1);
            if (const auto set = alone.set(name, value); !set)
                refuse_option("--label", fmt::format("'{}', {}", text, label_wanted(set.error())));
            for (const auto& [other, earlier] : labels)
                if (other == name)
                    refuse_option("--label",
                                  fmt::format("'{}' is given twice, '{}' and '{}'; a label has one value",
                                              name, earlier, value));
            labels.emplace_back(name, value);
            return true;
        },
        "NAME=VALUE", "NAME=VALUE",
        "Keep a label in the file, such as source=URL or date=2026-11-19; repeatable; NAME= removes it");
}

tool_option add_mode(const tool_command& command, mode_choice& mode, std::string_view meaning) {
    return add_parsed(
        command, "--mode", mode,
        [](std::string_view text) -> mode_choice {
            unsigned bits = 0;
            const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), bits, 8);
            if (problem != std::errc{} || end != text.data() + text.size() || bits > 0777)
                return std::nullopt;
            return bits;
        },
        "OCTAL", "up to three octal digits, such as 644", meaning);
}

void set_labels(any_filter& filter, const given_labels& labels) {
    file_labels all = filter.labels();
    for (const auto& [name, value] : labels) {
        if (value.empty()) all.remove(name);
        else if (const auto set = all.set(name, value); !set) fail_usage(set.error());
    }
    filter.set_labels(std::move(all));
}

void add_allow_empty(const tool_command& command, bool& is_allowed, std::string_view meaning) {
    command.flag("--allow-empty", is_allowed, meaning);
}

void check_not_empty(const key_source& source, std::uint64_t keys, bool is_allowed) {
    if (keys != 0 || is_allowed) return;
    const std::string where = source.files.empty() || source.files.front() == "-" ? "standard input"
                              : source.files.size() == 1                          ? source.files.front()
                                                         : fmt::format("the {} files", source.files.size());
    fail(exit_code::bad_data,
         fmt::format("{}: no keys; nothing was written. If that is as it should be, give --allow-empty",
                     where));
}

void add_hash(const tool_command& command, hash_choice& choice) {
    std::vector<std::string> names;
    for (const hash_name& each : hash_names)
        if (each.is_offered) names.emplace_back(each.name);
    command.choice(
        "--hash", names,
        [&choice, names](std::size_t i) { choice.id = *hash_id_from(std::string_view(names[i])); },
        "siphash13 resists chosen keys (default); xxh3 is faster and does not; fold is siphash13 for text, "
        "and "
        "for --format u64 the fastest, not resisting chosen integers: the default of C++ programs");
    add_parsed(command, "--key", choice.key, hash_key_from_hex, "HEX", "32 hexadecimal digits",
               "Key of the hash, 32 hex digits: for files to be merged or reproduced (default: random, kept "
               "in the file)");
}

hasher make_hasher(const hash_choice& choice) {
    const hash_id id = choice.id.value_or(hash_id::siphash13);
    if (choice.key) return {id, *choice.key};
    return {id, value_or_fail("random key", random_hash_key())};
}

}  // namespace membrane::cli
