#include "cli/print/failure.hpp"
#include "tls.hpp"

namespace membrane::cli {

struct tls_context::parts {};
struct tls_session::parts {};

tls_context::tls_context(const tls_files&) {
    fail(exit_code::usage,
         "--redis: rediss:// needs TLS, and this tool was built without it; configure it with "
         "-DMEMBRANE_TLS=ON");
}
tls_context::~tls_context() = default;

// There is no context to make one with.
tls_session::tls_session(const tls_context&, int, const std::string&) {}
tls_session::~tls_session() = default;
io_step tls_session::shake_hands() { return {}; }
io_step tls_session::read(char*, std::size_t) { return {}; }
io_step tls_session::write(const char*, std::size_t) { return {}; }

}  // namespace membrane::cli
