// membrane unpack: makes the filter file of a packed file. The packed file is validated before the output appears.
#include <algorithm>

#include <fmt/core.h>

#include <membrane/base/checked_math.hpp>

#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/key_count.hpp"
#include "cli/print/numbers.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct unpack_options {
    std::string packed;
    std::string output;
    std::optional<std::uint64_t> max_bytes;
    mode_choice mode;
    bool is_forced = false;
    bool is_quiet = false;
};

// The default limit for the size of the filter. An empty filter that the planner sized is up to 100 times as long as its
// packed form. The format allows 800,000 times, so an untrusted packed file could otherwise claim the whole memory.
std::uint64_t default_limit_bytes(std::uint64_t packed_bytes) {
    constexpr std::uint64_t least = std::uint64_t{64} << 20, times = 256;
    return std::max(least, checked_multiply(packed_bytes, times).value_or(UINT64_MAX));
}

void declare_unpack(const tool_command& command, unpack_options& options) {
    command.text("F.pack", options.packed, "F.pack", "The packed file").required();
    add_output(command, options.output, "The filter file to make");
    add_max_bytes(command, options.max_bytes,
                  "64 MiB, or 256 times the packed file, and the machine's memory");
    add_force(command, options.is_forced);
    add_mode(command, options.mode);
    add_quiet(command, options.is_quiet);
    command.set_examples(
        {"seq 1 5000 | membrane build -q --grow-to 1M -o sent.mbr && membrane pack -q sent.mbr -o "
         "sent.pack && membrane unpack sent.pack -o received.mbr",
         "seq 1 300 | membrane build -q -o n.mbr --kind rank:mode=counting && membrane pack -q "
         "n.mbr -o n.pack "
         "&& membrane unpack n.pack -o n.mbr --force --max-bytes 10M"});
}

exit_code perform_unpack(const unpack_options& options) {
    check_output(options.output, options.is_forced);
    check_not_an_input(options.output, {options.packed});
    const auto lock = lock_existing(options.output, options.is_forced);
    const mapped_file file = open_bytes(options.packed);
    const std::uint64_t limit =
        options.max_bytes.value_or(std::min(limit_of({}).bytes, default_limit_bytes(file.bytes().size())));
    auto unpacked = any_filter::unpack(file.bytes(), limit);
    if (!unpacked && unpacked.error().code == errc::too_large && !options.max_bytes) {
        error problem = unpacked.error();
        fail_about(options.packed,
                   problem.with_note(
                       "a packed filter is rarely so much shorter; if you trust the file, give --max-bytes"));
    }
    const any_filter filter = value_or_fail(options.packed, std::move(unpacked));
    save_new(filter, options.output, options.is_forced, permissions_like(options.mode, {options.packed}));
    if (!options.is_quiet)
        say(fmt::format("{}: {}, {}", shown_output(options.output), some_keys_text(filter),
                        bytes_text(filter.file_bytes())));
    return exit_code::done;
}

}  // namespace

void add_unpack_command(const tool_command& tool) {
    add_command<unpack_options>(tool, "unpack", "Make the filter file of a packed file", declare_unpack,
                                perform_unpack);
}

}  // namespace membrane::cli
