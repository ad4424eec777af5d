// One connection to a Redis server, and the part of its protocol (RESP2) that the tool uses. add() collects commands, send()
// sends them; the caller then reads one reply per command. A whole reply must come in time, and what is no reply ends the tool: no server
// makes it wait or fill the memory without end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"

namespace membrane::cli {

struct redis_reply {
    enum class form : std::uint8_t { nothing, integer, text, error, list };
    form kind = form::nothing;
    std::int64_t number = 0;
    std::string text;
    std::vector<redis_reply> items;

    bool is_error() const noexcept { return kind == form::error; }
    bool is_error(std::string_view beginning) const noexcept {
        return is_error() && text.starts_with(beginning);
    }
};

// Fails unless the reply has the form. `request` says what was asked.
void check_form(const redis_address& server, std::string_view request, const redis_reply& reply,
                redis_reply::form wanted);
// The text of an error, without what makes a message long.
std::string error_text(const redis_reply& reply);

class redis_link {
public:
    // Connects and logs in.
    redis_link(const redis_address& address, const redis_access& access, const tls_context* tls);

    void add(std::span<const std::string_view> words);
    void send();
    redis_reply read();

    redis_reply ask(std::initializer_list<std::string_view> words);

private:
    void log_in(const redis_access& access);
    redis_reply read(unsigned depth);  // depth: the number of enclosing lists
    void fill();
    std::string_view line();
    std::string bytes(std::size_t count);
    [[noreturn]] void refuse(std::string_view why) const;

    redis_address address_;
    connection connection_;
    std::string outgoing_;
    std::string incoming_;
    std::size_t read_ = 0;
    // Of the reply that is being read.
    connection::clock::time_point until_;
    std::uint64_t received_ = 0, items_ = 0;
};

}  // namespace membrane::cli
