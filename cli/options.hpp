// Options that several commands share, declared once so that they read and behave alike. The type name of an option is
// its value's name in help and manual; `a|b|c` is a choice, and `F.mbr` and `FILE` are files: the shell completions are made
// from that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <membrane/hash/hasher.hpp>

#include "exit_code.hpp"
#include "key_reader.hpp"

namespace membrane::cli {

// What the chosen command does once the whole command line was understood.
using action = std::function<exit_code()>;

inline constexpr char filter_type[] = "F.mbr";
inline constexpr char key_file_type[] = "FILE";
inline constexpr char model_type[] = "MODEL";
inline constexpr char lab_item_type[] = "NAME";
inline constexpr char all_lab_items[] = "all";
inline constexpr char choice_separator = '|';

// The value of a text that `parse` must understand (an empty optional refuses it); `wanted` completes "expected ...".
template <class Parse>
auto parse_or_refuse(const std::string& names, const std::string& text, Parse parse,
                     const std::string& wanted) {
    auto value = parse(text);
    if (!value)
        throw CLI::ValidationError(names.substr(names.rfind(',') + 1),
                                   fmt::format("'{}', expected {}", text, wanted));
    return *value;
}

template <class Target, class Parse>
CLI::Option* add_parsed(CLI::App& app, const std::string& names, Target& target, const Parse& parse,
                        const std::string& type, const std::string& wanted, const std::string& meaning) {
    CLI::Option* const option = app.add_option_function<std::string>(
        names,
        [&target, parse, names, wanted](const std::string& text) {
            target = parse_or_refuse(names, text, parse, wanted);
        },
        meaning);
    return option->type_name(type);
}

// An option that may be given repeatedly, one value each time.
template <class Target, class Parse>
CLI::Option* add_parsed_list(CLI::App& app, const std::string& names, std::vector<Target>& targets,
                             const Parse& parse, const std::string& type, const std::string& wanted,
                             const std::string& meaning) {
    CLI::Option* const option = app.add_option_function<std::vector<std::string>>(
        names,
        [&targets, parse, names, wanted](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
                targets.push_back(parse_or_refuse(names, text, parse, wanted));
        },
        meaning);
    return option->type_name(type)->allow_extra_args(false);
}

// One of several names; the choice's number goes to `choose`.
CLI::Option* add_choice(CLI::App& app, const std::string& name, const std::vector<std::string>& choices,
                        const std::function<void(std::size_t)>& choose, const std::string& meaning);

CLI::Option* add_filter(CLI::App& app, std::string& path, const std::string& meaning);
CLI::Option* add_output(CLI::App& app, std::string& path, const std::string& meaning);
CLI::Option* add_quiet(CLI::App& app, bool& is_quiet);
CLI::Option* add_force(CLI::App& app, bool& is_forced);
CLI::Option* add_json(CLI::App& app, bool& is_json);
CLI::Option* add_max_bytes(CLI::App& app, std::optional<std::uint64_t>& max_bytes,
                           std::string_view otherwise = "the machine's memory");

// --threads; 0 is as many as the machine has.
CLI::Option* add_threads(CLI::App& app, unsigned& threads);

// FILE..., --format, -0, --delimiter, --field.
void add_key_files(CLI::App& app, key_source& source);
void add_key_format(CLI::App& app, key_source& source);

// --hash, --key.
struct hash_choice {
    hash_id id = hash_id::siphash13;
    std::optional<hash_key> key;
};
void add_hash(CLI::App& app, hash_choice& choice);
// A random key from the operating system unless one was given. Fails if the hash cannot take such keys.
hasher make_hasher(const hash_choice& choice, key_format format);

// The last lines of a command's help. The examples must work as they are printed, in an empty folder.
void set_examples(CLI::App& app, const std::vector<std::string>& examples);

}  // namespace membrane::cli
