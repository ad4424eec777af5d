// The membrane tool: all commands. No other file ends the process, but where a page of a mapped file is missing.
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "cli/input/mapped_pages.hpp"
#include "run_tool.hpp"

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
    add_dedup_command(tool);
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

}  // namespace

}  // namespace membrane::cli

int main(int argc, char** argv) {
    membrane::cli::fill_standard_descriptors();
    // A closed pipe and a file size limit become errors of write(), with a message.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    membrane::cli::explain_lost_pages();
    return static_cast<int>(membrane::cli::run_tool(argc, argv, membrane::cli::declare));
}
