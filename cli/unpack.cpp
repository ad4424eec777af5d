// membrane unpack: the filter file of a packed one. Everything in the packed file is checked before the output appears.
#include <algorithm>

#include <fmt/format.h>

#include <membrane/base/checked_math.hpp>

#include "commands.hpp"
#include "filter_io.hpp"
#include "numbers.hpp"
#include "report.hpp"

namespace membrane::cli {

namespace {

struct unpack_options {
    std::string packed;
    std::string output;
    std::optional<std::uint64_t> max_bytes;
    bool is_forced = false;
    bool is_quiet = false;
};

// Of a filter whose packed form is so long. An empty one of a planned shape is up to 100 times as long as its packed form; the
// shapes that the format allows reach 800,000 times, which a file from elsewhere should not get unasked.
std::uint64_t likely_bytes(std::uint64_t packed_bytes) {
    constexpr std::uint64_t least = std::uint64_t{64} << 20, times = 256;
    return std::max(least, checked_multiply(packed_bytes, times).value_or(UINT64_MAX));
}

void declare_unpack(CLI::App& command, unpack_options& options) {
    command.add_option("F.pack", options.packed, "The packed file")->required()->type_name("F.pack");
    add_output(command, options.output, "The filter file to make");
    add_max_bytes(command, options.max_bytes,
                  "64 MiB, or 256 times the packed file, and the machine's memory");
    add_force(command, options.is_forced);
    add_quiet(command, options.is_quiet);
    set_examples(command,
                 {"seq 1 5000 | membrane build -q -o sent.mbr --kind rank && membrane pack -q sent.mbr -o "
                  "sent.pack && membrane unpack sent.pack -o received.mbr",
                  "seq 1 300 | membrane build -q -o n.mbr --kind rank:mode=counting && membrane pack -q "
                  "n.mbr -o n.pack "
                  "&& membrane unpack n.pack -o n.mbr --force --max-bytes 10M"});
}

exit_code perform_unpack(const unpack_options& options) {
    check_output(options.output, options.is_forced);
    check_not_an_input(options.output, {options.packed});
    const auto lock = lock_existing(options.output, options.is_forced);
    const mapped_file file = value_or_fail(options.packed, mapped_file::open(options.packed));
    const std::uint64_t limit =
        options.max_bytes.value_or(std::min(limit_of({}).bytes, likely_bytes(file.bytes().size())));
    auto unpacked = any_filter::unpack(file.bytes(), limit);
    if (!unpacked && unpacked.error().code == errc::too_large && !options.max_bytes) {
        error problem = unpacked.error();
        fail_about(options.packed,
                   problem.with_note("packed filters are seldom so short; if it is yours, give --max-bytes"));
    }
    const any_filter filter = value_or_fail(options.packed, std::move(unpacked));
    save_new(filter, options.output, options.is_forced);
    if (!options.is_quiet)
        say(fmt::format("{}: {} keys, {}", options.output, count_text(filter.keys()),
                        bytes_text(filter.file_bytes())));
    return exit_code::done;
}

}  // namespace

void add_unpack_command(CLI::App& app, action& run) {
    add_command<unpack_options>(app, run, "unpack", "Make the filter file of a packed one", declare_unpack,
                                perform_unpack);
}

}  // namespace membrane::cli
