#include "stop_signals.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

#include "cli/print/failure.hpp"

namespace membrane::cli::stop_signals {

namespace {

constexpr int caught[] = {SIGTERM, SIGINT, SIGHUP};

std::atomic<int> signal_that_came{0};
int waking_pipe[2] = {-1, -1};

void note(int number) {
    const int saved_errno = errno;
    signal_that_came = number;
    const char byte = 0;
    [[maybe_unused]] const ssize_t written = ::write(waking_pipe[1], &byte, 1);
    errno = saved_errno;
}

}  // namespace

void catch_them() {
    if (::pipe2(waking_pipe, O_CLOEXEC | O_NONBLOCK) != 0) fail_errno("signals", "make a pipe", errno);
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int number : caught) {
        // nohup has SIGHUP ignored, a shell SIGINT for a job in the background: that stays.
        struct sigaction before {};
        ::sigaction(number, nullptr, &before);
        if (before.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
    }
}

bool came() noexcept { return signal_that_came != 0; }

int descriptor() noexcept { return waking_pipe[0]; }

void end_by_signal() {
    if (!came()) return;
    std::signal(signal_that_came, SIG_DFL);
    std::raise(signal_that_came);
}

}  // namespace membrane::cli::stop_signals
