// The membrane command: declares the commands, parses, runs one, and turns whatever went wrong into a message and an exit
// code. Nothing below this file ends the process.
#include <csignal>
#include <exception>
#include <new>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include <membrane/version.hpp>

#include "commands.hpp"
#include "option_table.hpp"
#include "output.hpp"
#include "report.hpp"

namespace membrane::cli {

namespace {

// A closed standard descriptor would be taken by the next file that is opened, and a message could then end up in a filter.
// Its place is filled by one that refuses to be used.
void fill_standard_descriptors() {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(number, F_GETFD) == -1) {
            [[maybe_unused]] const int filled =
                ::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
}

void declare(CLI::App& app, action& run) {
    app.formatter(make_formatter());
    app.require_subcommand(1);
    app.set_version_flag("--version", fmt::format("membrane {}", version_string), "Print the version");
    app.footer(std::string("`membrane COMMAND --help` describes a command.\n\n") + exit_status_text);
    add_plan_command(app, run);
    add_build_command(app, run);
    add_query_command(app, run);
    add_add_command(app, run);
    add_remove_command(app, run);
    add_info_command(app, run);
    add_verify_command(app, run);
    add_merge_command(app, run);
    add_pack_command(app, run);
    add_unpack_command(app, run);
    add_improve_command(app, run);
    add_count_command(app, run);
    add_push_command(app, run);
    add_kinds_command(app, run);
    add_model_command(app, run);
    add_lab_command(app, run);
    add_bench_command(app, run);
    add_completion_command(app, run);
    add_man_command(app, run);
}

std::string chosen_path(const CLI::App& app) {
    std::string path = app.get_name();
    for (const CLI::App* const chosen : app.get_subcommands()) path += " " + chosen_path(*chosen);
    return path;
}

// The parser names what is missing before it names what it did not understand, which is usually the cause.
std::string reason(const CLI::App& app, const CLI::ParseError& problem) {
    const std::vector<std::string> unknown = app.remaining(true);
    if (unknown.empty()) return problem.what();
    if (!app.get_subcommands().empty())
        return fmt::format("not understood: {}", CLI::detail::join(unknown, " "));
    std::string names;
    for (const command_row& command : table_of(app).commands)
        names.append(names.empty() ? "" : ", ").append(command.name);
    return fmt::format("no command '{}' (expected {})", unknown.front(), names);
}

exit_code run_command(int argc, char** argv) {
    CLI::App app("approximate membership: filter files that never miss a key", "membrane");
    action run;
    declare(app, run);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        out().write(app.help());
        return exit_code::done;
    } catch (const CLI::CallForVersion& version) {
        out().print("{}\n", version.what());
        return exit_code::done;
    } catch (const CLI::ParseError& problem) {
        fail(exit_code::usage, fmt::format("{}; see `{} --help`", reason(app, problem), chosen_path(app)));
    }
    return run();
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
    // What was printed before a failure is still the user's.
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
