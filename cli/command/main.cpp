// The membrane tool: declares the commands, parses the command line, runs one command, and turns exceptions into a message
// and an exit code. No other file ends the process.
#include <csignal>
#include <exception>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/core.h>

#include <membrane/version.hpp>

#include "cli/print/failure.hpp"
#include "cli/print/output.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

// The next open() would reuse the number of a closed standard descriptor, and a message could then be written into a filter
// file. Opened in the wrong direction, /dev/null fails every read or write of the missing stream.
void fill_standard_descriptors() {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(number, F_GETFD) == -1) {
            [[maybe_unused]] const int filled =
                ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
}

void declare(const tool_command& tool) {
    add_plan_command(tool);
    add_build_command(tool);
    add_query_command(tool);
    add_add_command(tool);
    add_remove_command(tool);
    add_info_command(tool);
    add_verify_command(tool);
    add_merge_command(tool);
    add_shrink_command(tool);
    add_compare_command(tool);
    add_diff_command(tool);
    add_patch_command(tool);
    add_pack_command(tool);
    add_unpack_command(tool);
    add_improve_command(tool);
    add_count_command(tool);
    add_push_command(tool);
    add_kinds_command(tool);
    add_model_command(tool);
    add_lab_command(tool);
    add_bench_command(tool);
    add_document_commands(tool);
}

exit_code run_command(int argc, char** argv) {
    command_line line("membrane", "approximate membership: filter files that never miss a key",
                      fmt::format("membrane {}", version_string),
                      fmt::format("`membrane COMMAND --help` describes a command.\n\n{}", exit_status_text));
    declare(line.tool());
    return line.run(argc, argv);
}

exit_code explain_exception() {
    try {
        throw;
    } catch (const closed_pipe&) {
        return exit_code::io;
    } catch (const failure& problem) {
        say(problem.message);
        return problem.code;
    } catch (const std::bad_alloc&) {
        say("out of memory; ask for a smaller filter, or give build a smaller --memory");
    } catch (const std::exception& problem) {
        say(problem.what());
    }
    return exit_code::io;
}

exit_code guarded(int argc, char** argv) {
    exit_code code = exit_code::done;
    try {
        code = run_command(argc, argv);
    } catch (...) {
        code = explain_exception();
    }
    // Results printed before a failure are kept.
    try {
        out().flush();
    } catch (...) {
        return explain_exception();
    }
    return code;
}

}  // namespace

}  // namespace membrane::cli

int main(int argc, char** argv) {
    membrane::cli::fill_standard_descriptors();
    // A closed pipe and a file size limit become errors of write(), with a message.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    return static_cast<int>(membrane::cli::guarded(argc, argv));
}
