// membrane patch: makes the newer filter of an older one and the patch that `membrane diff` made. The patch holds checksums of
// both; on any other filter it is refused.
#include <fmt/core.h>

#include <membrane/runtime/mapped_file.hpp>
#include <membrane/runtime/number_files.hpp>

#include "cli/input/abilities.hpp"
#include "cli/input/filter_files.hpp"
#include "cli/input/options.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/key_count.hpp"
#include "cli/print/numbers.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct patch_options {
    std::string filter;
    std::string patch;
    std::string output;
    std::optional<std::uint64_t> max_bytes;
    mode_choice mode;
    bool is_forced = false;
    bool is_quiet = false;
};

void declare_patch(const tool_command& command, patch_options& options) {
    add_filter(command, options.filter,
               "The older filter file; without --output replaced as a whole or left unchanged");
    command.text(patch_value, options.patch, patch_value, "The patch, made by `membrane diff`").required();
    const tool_option output =
        command.text("-o,--output", options.output, filter_value, "Write here and leave the filter as it is");
    add_max_bytes(command, options.max_bytes, "16 times the filter and 64 times the patch");
    add_force(command, options.is_forced).needs(output);
    add_mode(command, options.mode).needs(output);
    add_quiet(command, options.is_quiet);
    constexpr char make[] =
        "seq 1 9000 | membrane build -q --grow-to 1M -o old.mbr && cp old.mbr new.mbr && seq 9001 9100 | "
        "membrane add -q "
        "new.mbr && membrane diff -q old.mbr new.mbr -o day.mbp && membrane patch old.mbr day.mbp";
    command.set_examples({fmt::format("{} && cmp old.mbr new.mbr", make),
                          fmt::format("{} -o patched.mbr && cmp patched.mbr new.mbr", make)});
}

// Whether the error is about the filter: it is not the one that the patch was made for.
[[noreturn]] void explain(const patch_options& options, const any_view& older, const error& problem) {
    // Checksums tell people nothing.
    if (problem.code == errc::spec_mismatch && problem.what.find("checksum") != std::string_view::npos)
        fail(exit_code::refused,
             fmt::format("{}: is not the filter that {} was made for, but another state of it",
                         shown_name(options.filter), shown_name(options.patch)));
    if (problem.code == errc::spec_mismatch) fail_unlike(options.filter, older, problem);
    fail_about(options.patch, problem);
}

exit_code perform_patch(const patch_options& options) {
    edited_filter edited(options.filter, options.output, options.is_forced, options.mode);
    const mapped_file file = open_bytes(options.patch);
    auto newer = patched(edited.filter(), file.bytes(), options.max_bytes.value_or(no_byte_limit));
    if (!newer) explain(options, edited.filter(), newer.error());
    edited.filter() = std::move(*newer);
    edited.save();
    if (!options.is_quiet)
        say(fmt::format("{}: patched; the filter holds {}, the file has {}", shown_output(edited.path()),
                        some_keys_text(edited.filter()), bytes_text(edited.filter().file_bytes())));
    return exit_code::done;
}

}  // namespace

void add_patch_command(const tool_command& tool) {
    add_command<patch_options>(tool, "patch", "Bring a filter file up to date with a patch", declare_patch,
                               perform_patch);
}

}  // namespace membrane::cli
