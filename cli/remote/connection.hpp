// A TCP connection, with TLS if wanted, on which nothing takes longer than it may.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "redis_access.hpp"
#include "tls.hpp"

namespace membrane::cli {

// The connection is no longer usable.
struct lost_connection : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class connection {
public:
    using clock = std::chrono::steady_clock;

    // Throws lost_connection, as all calls.
    connection(const redis_address& address, const tls_context* tls, std::chrono::milliseconds patience);
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection();

    // The moment by which something that begins now must be done.
    clock::time_point deadline() const { return clock::now() + patience_; }

    void write(std::string_view bytes, clock::time_point until);
    // At least one byte.
    std::size_t read(char* to, std::size_t room, clock::time_point until);

    [[noreturn]] void lose(std::string_view what) const;

private:
    void connect(clock::time_point until);
    // Throws if none is left.
    int milliseconds_left(clock::time_point until) const;
    void wait(short events, clock::time_point until) const;
    template <class Attempt>
    std::size_t repeat(Attempt attempt, clock::time_point until) const;
    io_step plain_step(ssize_t result, short event) const;

    redis_address address_;
    std::chrono::milliseconds patience_;
    int descriptor_ = -1;
    std::unique_ptr<tls_session> tls_;
};

}  // namespace membrane::cli
