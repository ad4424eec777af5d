// A page gets no signals.
#include "cli/input/stop_signals.hpp"

namespace membrane::cli::stop_signals {

void catch_them() {}
bool came() noexcept { return false; }
int descriptor() noexcept { return -1; }
void end_by_signal() {}

}  // namespace membrane::cli::stop_signals
