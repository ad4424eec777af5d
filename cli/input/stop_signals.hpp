// SIGTERM, SIGINT and SIGHUP for commands that keep what they did so far: the input then ends (byte_stream.hpp), the command finishes as
// at the end of its input, and ends by the signal. A second signal ends it at once.
#pragma once

namespace membrane::cli::stop_signals {

// From now on the signals end the input instead of the process.
void catch_them();
bool came() noexcept;
// Readable when a signal has come; -1 while they are not caught.
int descriptor() noexcept;
// Ends the process by the signal that came, so that whoever started it sees that. Does nothing if none came.
void end_by_signal();

}  // namespace membrane::cli::stop_signals
