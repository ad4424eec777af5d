#include "redis_link.hpp"

#include <charconv>

#include <fmt/core.h>

#include "cli/print/failure.hpp"

namespace membrane::cli {

namespace {

// Limits for replies, so that a faulty or hostile server cannot exhaust memory or the stack: bytes of a reply and of a text in it, items
// with those of all its lists (the slots of a cluster are the longest), bytes of a line, and nested lists (replies to the tool's
// commands nest three deep).
constexpr std::uint64_t longest_reply = std::uint64_t{1} << 26;
constexpr std::int64_t longest_text = std::int64_t{1} << 24;
constexpr std::int64_t most_items = std::int64_t{1} << 20;
constexpr std::size_t longest_line = std::size_t{1} << 16;
constexpr unsigned deepest_reply = 8;
constexpr std::size_t shown_letters = 200;

std::string shortened(std::string_view text) {
    if (text.size() <= shown_letters) return std::string(text);
    return fmt::format("{}... ({} bytes)", text.substr(0, shown_letters), text.size());
}

std::string_view name_of(redis_reply::form form) {
    switch (form) {
        case redis_reply::form::integer: return "an integer";
        case redis_reply::form::text: return "a text";
        case redis_reply::form::error: return "an error";
        case redis_reply::form::list: return "a list";
        default: return "nil";
    }
}

}  // namespace

std::string error_text(const redis_reply& reply) { return shortened(reply.text); }

void check_form(const redis_address& server, std::string_view request, const redis_reply& reply,
                redis_reply::form wanted) {
    if (reply.kind == wanted) return;
    if (reply.is_error())
        fail(exit_code::io, fmt::format("{}: {}: {}", server.text(), request, error_text(reply)));
    fail(exit_code::io, fmt::format("{}: {}: the server answered {}, expected {}", server.text(), request,
                                    name_of(reply.kind), name_of(wanted)));
}

redis_link::redis_link(const redis_address& address, const redis_access& access, const tls_context* tls)
    : address_(address), connection_(address, tls, access.patience) {
    log_in(access);
}

void redis_link::log_in(const redis_access& access) {
    if (access.password) {
        const redis_reply reply = access.server.user.empty()
                                      ? ask({"AUTH", *access.password})
                                      : ask({"AUTH", access.server.user, *access.password});
        check_form(address_, "AUTH", reply, redis_reply::form::text);
    }
    if (access.server.database == 0) return;
    const std::string number = std::to_string(access.server.database);
    check_form(address_, "SELECT " + number, ask({"SELECT", number}), redis_reply::form::text);
}

void redis_link::add(std::span<const std::string_view> words) {
    outgoing_.append("*").append(std::to_string(words.size())).append("\r\n");
    for (const std::string_view word : words)
        outgoing_.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
}

void redis_link::send() {
    connection_.write(outgoing_, connection_.deadline());
    outgoing_.clear();
}

void redis_link::fill() {
    if (read_ == incoming_.size()) {
        incoming_.clear();
        read_ = 0;
    }
    char part[1 << 16];
    const std::size_t got = connection_.read(part, sizeof part, until_);
    incoming_.append(part, got);
    received_ += got;
    if (received_ > longest_reply) refuse("a reply is too long");
}

void redis_link::refuse(std::string_view why) const {
    fail(exit_code::io, fmt::format("{}: not the Redis protocol: {}", address_.text(), why));
}

std::string_view redis_link::line() {
    std::size_t end = 0;
    while ((end = incoming_.find("\r\n", read_)) == std::string::npos) {
        if (incoming_.size() - read_ > longest_line) refuse("a line has no end");
        fill();
    }
    const std::string_view found(incoming_.data() + read_, end - read_);
    read_ = end + 2;
    return found;
}

std::string redis_link::bytes(std::size_t count) {
    while (incoming_.size() - read_ < count + 2) fill();
    if (incoming_.compare(read_ + count, 2, "\r\n") != 0) refuse("a text is longer than announced");
    std::string found = incoming_.substr(read_, count);
    read_ += count + 2;
    return found;
}

redis_reply redis_link::read() {
    until_ = connection_.deadline();
    received_ = 0;
    items_ = 0;
    return read(0);
}

redis_reply redis_link::read(unsigned depth) {
    const std::string head(line());
    redis_reply reply;
    const std::string_view rest = std::string_view(head).substr(head.empty() ? 0 : 1);
    const auto refuse_head = [&] { refuse(fmt::format("'{}'", head.substr(0, 40))); };
    const auto number = [&](std::int64_t least, std::int64_t most) {
        std::int64_t value = 0;
        const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (problem != std::errc{} || end != rest.data() + rest.size() || value < least || value > most)
            refuse_head();
        return value;
    };
    constexpr std::int64_t nil = -1;  // the length of nothing
    if (depth > deepest_reply) refuse_head();
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
            reply.number = number(INT64_MIN, INT64_MAX);
            break;
        case '$':
            if (const std::int64_t length = number(nil, longest_text); length != nil) {
                reply.kind = redis_reply::form::text;
                reply.text = bytes(static_cast<std::size_t>(length));
            }
            break;
        case '*':
            if (const std::int64_t length = number(nil, most_items); length != nil) {
                reply.kind = redis_reply::form::list;
                items_ += static_cast<std::uint64_t>(length);
                if (items_ > most_items) refuse_head();
                for (std::int64_t i = 0; i < length; ++i) reply.items.push_back(read(depth + 1));
            }
            break;
        default: refuse_head();
    }
    return reply;
}

redis_reply redis_link::ask(std::initializer_list<std::string_view> words) {
    add(std::span(words.begin(), words.size()));
    send();
    return read();
}

}  // namespace membrane::cli
