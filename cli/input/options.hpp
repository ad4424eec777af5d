// Options that several commands share, declared once so that their help and their behaviour agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <membrane/hash/hasher.hpp>
#include <membrane/plan/requirement.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "command_line.hpp"
#include "key_source.hpp"

namespace membrane::cli {

tool_option add_filter(const tool_command& command, std::string& path, std::string_view meaning);
tool_option add_output(const tool_command& command, std::string& path, std::string_view meaning);
// The same for a file that is not a filter.
tool_option add_file_output(const tool_command& command, std::string& path, std::string_view value_name,
                            std::string_view meaning);
tool_option add_quiet(const tool_command& command, bool& is_quiet);
tool_option add_force(const tool_command& command, bool& is_forced,
                      std::string_view meaning = "Replace an existing output, as a whole or not at all");
tool_option add_json(const tool_command& command, bool& is_json);
tool_option add_max_bytes(const tool_command& command, std::optional<std::uint64_t>& max_bytes,
                          std::string_view default_limit = "the machine's memory");

// Options with a number, in the notations of print/numbers.hpp.
tool_option add_count(const tool_command& command, std::string_view names, std::uint64_t& count,
                      std::string_view meaning);
tool_option add_bytes(const tool_command& command, std::string_view names,
                      std::optional<std::uint64_t>& bytes, std::string_view meaning);
tool_option add_positive(const tool_command& command, std::string_view names, std::string_view value_name,
                         std::optional<double>& number, std::string_view meaning);

// --fpr; the help names the default rate.
tool_option add_fpr(const tool_command& command, std::optional<double>& fpr,
                    std::string_view adjective = "Wanted");
// --fpr and --bits-per-key, of which one may be given.
void add_fpr_or_bits(const tool_command& command, std::optional<double>& fpr,
                     std::optional<double>& bits_per_key, std::string_view adjective = "Wanted");

// --grow-to, --delete, --fixed: what is to happen to the filter after it was built.
void add_growth(const tool_command& command, plan::requirement& wanted);
// Fails if --grow-to is less than this number of keys; `whose` says where they come from.
void check_grow_to(const plan::requirement& wanted, std::uint64_t keys, std::string_view whose);

inline constexpr char kind_value[] = "KIND[:NAME=VALUE,...]";
// --kind for commands that build, to be read by kind_to_build.
tool_option add_kind(const tool_command& command, std::string& kind);

// Fails if a filter that grows cannot keep the wanted rate up to the wanted number of keys, and says which it can.
void check_growing_rate(const plan::requirement& wanted);
// Up to how many keys it can keep this rate.
std::uint64_t most_keys_at(double fpr);

// --threads; 0 means one thread per core.
tool_option add_threads(const tool_command& command, unsigned& threads);

// Whether a malformed line ends the command (then --skip-malformed leaves it out) or is left out (then --strict ends the command).
enum class malformed_lines : bool { end, are_left_out };

// FILE..., --format, -0, --delimiter, --field and the other options that say how keys are read.
void add_key_files(const tool_command& command, key_source& source,
                   malformed_lines what = malformed_lines::end);
void add_key_format(const tool_command& command, key_source& source,
                    malformed_lines what = malformed_lines::end);

// --mode.
using mode_choice = std::optional<unsigned>;
tool_option add_mode(
    const tool_command& command, mode_choice& mode,
    std::string_view meaning =
        "Permissions of the file (default: 600 if it holds a random hash key, and no more than those "
        "of the files that it is made of)");

// --label NAME=VALUE, NAME= to remove; and their effect on a filter.
using given_labels = std::vector<std::pair<std::string, std::string>>;
void add_labels(const tool_command& command, given_labels& labels);
void set_labels(any_filter& filter, const given_labels& labels);

// --allow-empty; and the error without it if there was no key.
void add_allow_empty(const tool_command& command, bool& is_allowed,
                     std::string_view meaning = "Make the file even if the input has no key");
void check_not_empty(const key_source& source, std::uint64_t keys, bool is_allowed);

// --hash, --key.
struct hash_choice {
    std::optional<hash_id> id;  // siphash13 if none is given
    std::optional<hash_key> key;
};
void add_hash(const tool_command& command, hash_choice& choice);
// Takes a random hash key from the operating system unless one was given.
hasher make_hasher(const hash_choice& choice);

}  // namespace membrane::cli
