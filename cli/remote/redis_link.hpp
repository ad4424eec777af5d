// One connection to a Redis server, and the part of its protocol (RESP2) that the tool uses. add() collects commands, send()
// sends them; the caller then reads one reply per command.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

struct redis_address {
    std::string host;
    std::string port;

    friend auto operator<=>(const redis_address&, const redis_address&) = default;
};
// "host:port", "[::1]:port", or a host alone.
redis_address parse_redis_address(const std::string& text);

// The connection is no longer usable.
struct lost_connection : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class redis_link {
public:
    explicit redis_link(const redis_address& address);
    redis_link(const redis_link&) = delete;
    redis_link& operator=(const redis_link&) = delete;
    ~redis_link();

    void add(std::span<const std::string_view> words);
    void send();
    redis_reply read() { return read(0); }

    redis_reply ask(std::initializer_list<std::string_view> words);

private:
    redis_reply read(unsigned depth);  // depth: the number of enclosing lists
    void fill();
    std::string_view line();
    std::string bytes(std::size_t count);

    redis_address address_;
    int descriptor_ = -1;
    std::string outgoing_;
    std::string incoming_;
    std::size_t read_ = 0;
};

}  // namespace membrane::cli
