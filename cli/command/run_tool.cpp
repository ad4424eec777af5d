#include "run_tool.hpp"

#include <exception>
#include <new>

#include <fmt/core.h>

#include <membrane/version.hpp>

#include "cli/print/failure.hpp"
#include "cli/print/output.hpp"

namespace membrane::cli {

namespace {

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

}  // namespace

exit_code run_tool(int argc, char** argv, void (*declare)(const tool_command& tool)) {
    exit_code code = exit_code::done;
    try {
        command_line line(
            "membrane", "approximate membership: filter files that never miss a key",
            fmt::format("membrane {}", version_string),
            fmt::format("`membrane COMMAND --help` describes a command.\n\n{}", exit_status_text));
        declare(line.tool());
        code = line.run(argc, argv);
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

}  // namespace membrane::cli
