#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include <fmt/core.h>

#include "cli/print/failure.hpp"
#include "tls.hpp"

namespace membrane::cli {

namespace {

// The reason of the last error; forgets all of them.
std::string last_reason() {
    const unsigned long problem = ERR_peek_last_error();
    ERR_clear_error();
    if (problem == 0) return "unknown problem";
    if (ERR_SYSTEM_ERROR(problem)) return std::strerror(ERR_GET_REASON(problem));
    const char* const reason = ERR_reason_error_string(problem);
    return reason == nullptr ? "unknown problem" : reason;
}

[[noreturn]] void fail_reading(std::string_view file, std::string_view what) {
    fail(exit_code::io, fmt::format("{}: cannot read {}: {}", file, what, last_reason()));
}

bool is_ip_address(const std::string& host) {
    unsigned char bytes[sizeof(in6_addr)];
    return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

// A passphrase would be asked for on the terminal.
int no_passphrase(char*, int, int, void*) { return 0; }

}  // namespace

struct tls_context::parts {
    std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
    std::string name;
};

tls_context::tls_context(const tls_files& files) : parts_(std::make_unique<parts>()) {
    SSL_CTX* const context = parts_->context.get();
    if (context == nullptr) fail(exit_code::io, fmt::format("TLS: {}", last_reason()));
    parts_->name = files.name;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    if (files.authorities.empty()) SSL_CTX_set_default_verify_paths(context);
    else if (SSL_CTX_load_verify_file(context, files.authorities.c_str()) != 1)
        fail_reading(files.authorities, "certificates (PEM)");
    if (files.certificate.empty() != files.key.empty())
        fail(exit_code::usage, "--tls-cert and --tls-key: give both or none");
    if (files.certificate.empty()) return;
    if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
        fail_reading(files.certificate, "a certificate (PEM)");
    if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1)
        fail_reading(files.key, "the private key of the certificate (PEM, without a passphrase)");
}

tls_context::~tls_context() = default;

struct tls_session::parts {
    std::unique_ptr<SSL, void (*)(SSL*)> session;

    // After a call that returned `result`, not above 0.
    io_step step_after(int result) {
        const int saved_errno = errno;
        switch (SSL_get_error(session.get(), result)) {
            case SSL_ERROR_WANT_READ: return {.wait_for = POLLIN};
            case SSL_ERROR_WANT_WRITE: return {.wait_for = POLLOUT};
            case SSL_ERROR_ZERO_RETURN: return {};
            case SSL_ERROR_SYSCALL:
                if (ERR_peek_last_error() == 0)
                    throw tls_error{saved_errno == 0 ? "the server closed the connection"
                                                     : std::strerror(saved_errno)};
                [[fallthrough]];
            default: break;
        }
        const long verified = SSL_get_verify_result(session.get());
        if (verified != X509_V_OK) {
            ERR_clear_error();
            throw tls_error{
                fmt::format("the server's certificate is not trusted: {}; --tls-ca names the "
                            "authority, --tls-name the name in it",
                            X509_verify_cert_error_string(verified))};
        }
        throw tls_error{fmt::format("TLS: {}", last_reason())};
    }
};

tls_session::tls_session(const tls_context& context, int descriptor, const std::string& host)
    : parts_(std::make_unique<parts>(parts{{SSL_new(context.parts_->context.get()), SSL_free}})) {
    SSL* const session = parts_->session.get();
    const std::string& name = context.parts_->name.empty() ? host : context.parts_->name;
    const bool is_address = is_ip_address(name);
    bool is_ready = session != nullptr && SSL_set_fd(session, descriptor) == 1;
    if (is_ready && is_address)
        is_ready = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name.c_str()) == 1;
    else if (is_ready)
        is_ready =
            SSL_set1_host(session, name.c_str()) == 1 && SSL_set_tlsext_host_name(session, name.c_str()) == 1;
    if (!is_ready) throw tls_error{fmt::format("TLS: {}", last_reason())};
}

tls_session::~tls_session() = default;

io_step tls_session::shake_hands() {
    ERR_clear_error();
    errno = 0;
    const int result = SSL_connect(parts_->session.get());
    return result == 1 ? io_step{.bytes = 1} : parts_->step_after(result);
}

io_step tls_session::read(char* to, std::size_t room) {
    ERR_clear_error();
    errno = 0;
    std::size_t bytes = 0;
    const int result = SSL_read_ex(parts_->session.get(), to, room, &bytes);
    return result == 1 ? io_step{.bytes = bytes} : parts_->step_after(result);
}

io_step tls_session::write(const char* from, std::size_t size) {
    ERR_clear_error();
    errno = 0;
    std::size_t bytes = 0;
    const int result = SSL_write_ex(parts_->session.get(), from, size, &bytes);
    return result == 1 ? io_step{.bytes = bytes} : parts_->step_after(result);
}

}  // namespace membrane::cli
