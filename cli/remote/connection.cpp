#include "connection.hpp"

#include <cerrno>
#include <cstring>

#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/core.h>

namespace membrane::cli {

connection::connection(const redis_address& address, const tls_context* tls,
                       std::chrono::milliseconds patience)
    : address_(address), patience_(patience) {
    const auto until = deadline();
    try {
        connect(until);
        if (tls == nullptr) return;
        repeat(
            [&] {
                if (!tls_) tls_ = std::make_unique<tls_session>(*tls, descriptor_, address.host);
                return tls_->shake_hands();
            },
            until);
    } catch (...) {
        tls_.reset();
        if (descriptor_ >= 0) ::close(descriptor_);
        throw;
    }
}

connection::~connection() {
    tls_.reset();
    ::close(descriptor_);
}

void connection::connect(clock::time_point until) {
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_socktype = SOCK_STREAM;
    if (const int problem = ::getaddrinfo(address_.host.c_str(), address_.port.c_str(), &wanted, &found);
        problem != 0)
        lose(::gai_strerror(problem));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
    int problem = ECONNREFUSED;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
        descriptor_ =
            ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, each->ai_protocol);
        if (descriptor_ < 0) continue;
        const int yes = 1;
        ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        problem = ::connect(descriptor_, each->ai_addr, each->ai_addrlen) == 0 ? 0 : errno;
        if (problem == EINPROGRESS) {
            wait(POLLOUT, until);
            socklen_t size = sizeof problem;
            ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &problem, &size);
        }
        if (problem == 0) return;
        ::close(descriptor_);
        descriptor_ = -1;
    }
    lose(std::strerror(problem));
}

int connection::milliseconds_left(clock::time_point until) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    if (left <= 0)
        lose(fmt::format("no whole answer within {:g} s (--timeout)",
                         static_cast<double>(patience_.count()) / 1000));
    return static_cast<int>(left);
}

void connection::wait(short events, clock::time_point until) const {
    pollfd watched{descriptor_, events, 0};
    for (;;) {
        const int ready = ::poll(&watched, 1, milliseconds_left(until));
        if (ready > 0) return;
        if (ready < 0 && errno != EINTR) lose(std::strerror(errno));
    }
}

template <class Attempt>
std::size_t connection::repeat(Attempt attempt, clock::time_point until) const {
    try {
        for (;;) {
            milliseconds_left(until);  // also of a server that always has one more byte
            const io_step step = attempt();
            if (step.wait_for == 0) return step.bytes;
            wait(step.wait_for, until);
        }
    } catch (const tls_error& problem) {
        lose(problem.reason);
    }
}

io_step connection::plain_step(ssize_t result, short event) const {
    if (result >= 0) return {.bytes = static_cast<std::size_t>(result)};
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {.wait_for = event};
    lose(std::strerror(errno));
}

void connection::write(std::string_view bytes, clock::time_point until) {
    while (!bytes.empty()) {
        const std::size_t written = repeat(
            [&] {
                if (tls_) return tls_->write(bytes.data(), bytes.size());
                return plain_step(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL), POLLOUT);
            },
            until);
        bytes.remove_prefix(written);
    }
}

std::size_t connection::read(char* to, std::size_t room, clock::time_point until) {
    const std::size_t got = repeat(
        [&] {
            if (tls_) return tls_->read(to, room);
            return plain_step(::recv(descriptor_, to, room, 0), POLLIN);
        },
        until);
    if (got == 0) lose("the server closed the connection");
    return got;
}

void connection::lose(std::string_view what) const {
    throw lost_connection(fmt::format("{}: {}", address_.text(), what));
}

}  // namespace membrane::cli
