#include "redis_link.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <fmt/core.h>

namespace membrane::cli {

namespace {

constexpr int timeout_seconds = 15;
// Limits for replies, so that a faulty or hostile server cannot exhaust memory or the stack: bytes of a text or items of a
// list, bytes of a line, and nested lists (replies to the tool's commands nest three deep).
constexpr std::int64_t longest_reply = std::int64_t{1} << 32;
constexpr std::size_t longest_line = std::size_t{1} << 16;
constexpr unsigned deepest_reply = 8;

[[noreturn]] void lose(const redis_address& address, std::string_view what) {
    throw lost_connection(fmt::format("{}:{}: {}", address.host, address.port, what));
}

int connect_to(const redis_address& address) {
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_socktype = SOCK_STREAM;
    if (const int problem = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found);
        problem != 0)
        lose(address, ::gai_strerror(problem));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
    int problem = ECONNREFUSED;
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
        const int made = ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
        if (made < 0) continue;
        const timeval timeout{timeout_seconds, 0};
        const int yes = 1;
        ::setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
        ::setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
        ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        if (::connect(made, each->ai_addr, each->ai_addrlen) == 0) return made;
        problem = errno;
        ::close(made);
    }
    lose(address, std::strerror(problem));
}

}  // namespace

redis_address parse_redis_address(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || text.ends_with(']')) return {text, "6379"};
    std::string host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    return {host.empty() ? "127.0.0.1" : host, text.substr(colon + 1)};
}

redis_link::redis_link(const redis_address& address) : address_(address), descriptor_(connect_to(address)) {}

redis_link::~redis_link() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void redis_link::add(std::span<const std::string_view> words) {
    outgoing_.append("*").append(std::to_string(words.size())).append("\r\n");
    for (const std::string_view word : words)
        outgoing_.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
}

void redis_link::send() {
    std::string_view left = outgoing_;
    while (!left.empty()) {
        const ssize_t sent = ::send(descriptor_, left.data(), left.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) lose(address_, std::strerror(errno));
        left.remove_prefix(static_cast<std::size_t>(sent));
    }
    outgoing_.clear();
}

void redis_link::fill() {
    if (read_ == incoming_.size()) {
        incoming_.clear();
        read_ = 0;
    }
    char part[1 << 16];
    ssize_t got = 0;
    do {
        got = ::recv(descriptor_, part, sizeof part, 0);
    } while (got < 0 && errno == EINTR);
    if (got == 0) lose(address_, "the server closed the connection");
    if (got < 0) lose(address_, std::strerror(errno));
    incoming_.append(part, static_cast<std::size_t>(got));
}

std::string_view redis_link::line() {
    std::size_t end = 0;
    while ((end = incoming_.find("\r\n", read_)) == std::string::npos) {
        if (incoming_.size() - read_ > longest_line)
            lose(address_, "not the Redis protocol: a line has no end");
        fill();
    }
    const std::string_view found(incoming_.data() + read_, end - read_);
    read_ = end + 2;
    return found;
}

std::string redis_link::bytes(std::size_t count) {
    while (incoming_.size() - read_ < count + 2) fill();
    std::string found = incoming_.substr(read_, count);
    read_ += count + 2;
    return found;
}

redis_reply redis_link::read(unsigned depth) {
    const std::string head(line());
    redis_reply reply;
    const std::string_view rest = std::string_view(head).substr(head.empty() ? 0 : 1);
    const auto refuse = [&] {
        lose(address_, fmt::format("not the Redis protocol: '{}'", head.substr(0, 40)));
    };
    const auto number = [&](std::int64_t most) {
        std::int64_t value = 0;
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (problem != std::errc{} || end != rest.data() + rest.size() || value > most) refuse();
        return value;
    };
    if (depth > deepest_reply) refuse();
    switch (head.empty() ? '\0' : head[0]) {
        case '+':
            reply.kind = redis_reply::form::text;
            reply.text = rest;
            break;
        case '-':
            reply.kind = redis_reply::form::error;
            reply.text = rest;
            break;
        case ':':
            reply.kind = redis_reply::form::integer;
            reply.number = number(INT64_MAX);
            break;
        case '$':
            if (const std::int64_t length = number(longest_reply); length >= 0) {
                reply.kind = redis_reply::form::text;
                reply.text = bytes(static_cast<std::size_t>(length));
            }
            break;
        case '*':
            if (const std::int64_t length = number(longest_reply); length >= 0) {
                reply.kind = redis_reply::form::list;
                for (std::int64_t i = 0; i < length; ++i) reply.items.push_back(read(depth + 1));
            }
            break;
        default: refuse();
    }
    return reply;
}

redis_reply redis_link::ask(std::initializer_list<std::string_view> words) {
    add(std::span(words.begin(), words.size()));
    send();
    return read();
}

}  // namespace membrane::cli
