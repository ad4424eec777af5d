// TLS for the connections to servers. tls_openssl.cpp implements it; tls_absent.cpp stands in its place in a tool that was configured
// without OpenSSL, and refuses.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace membrane::cli {

struct tls_files {
    std::string authorities;  // empty: those of the system
    std::string certificate;  // to show to a server that asks for one
    std::string key;
    std::string name;  // in the server's certificate; empty: its host

    bool is_given() const { return !(authorities + certificate + key + name).empty(); }
};

// What came of an attempt on a socket that does not block.
struct io_step {
    std::size_t bytes = 0;  // 0: the other side has closed the connection
    short wait_for = 0;     // not 0: nothing was done; try again when poll reports one of these events
};

// Certificates and rules, read once for all connections. Throws failure.
class tls_context {
public:
    explicit tls_context(const tls_files& files);
    tls_context(const tls_context&) = delete;
    tls_context& operator=(const tls_context&) = delete;
    ~tls_context();

private:
    friend class tls_session;
    struct parts;
    std::unique_ptr<parts> parts_;
};

// TLS on a connected socket that does not block. The server's certificate must be signed by a known authority and bear the server's name.
// Every call throws tls_error.
class tls_session {
public:
    tls_session(const tls_context& context, int descriptor, const std::string& host);
    tls_session(const tls_session&) = delete;
    tls_session& operator=(const tls_session&) = delete;
    ~tls_session();

    io_step shake_hands();
    io_step read(char* to, std::size_t room);
    io_step write(const char* from, std::size_t size);

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

struct tls_error {
    std::string reason;
};

}  // namespace membrane::cli
