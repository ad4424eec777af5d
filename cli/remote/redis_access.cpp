#include "redis_access.hpp"

#include <charconv>

#include <fmt/core.h>

namespace membrane::cli {

namespace {

constexpr std::string_view usual_port = "6379";

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
    Number number{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

bool is_port(std::string_view text) {
    const auto number = whole_number<std::uint16_t>(text);
    return number && *number != 0;
}

// %40 for @, as URLs write letters that have a meaning in them.
std::optional<std::string> percent_decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        unsigned letter = 0;
        const char* const digits = text.data() + i + 1;
        if (i + 2 >= text.size() || std::from_chars(digits, digits + 2, letter, 16).ptr != digits + 2)
            return std::nullopt;
        plain += static_cast<char>(letter);
        i += 2;
    }
    return plain;
}

constexpr std::string_view plain_scheme = "redis://", tls_scheme = "rediss://";

// What stands between the scheme and the first slash.
std::string_view authority_of(std::string_view url) {
    url.remove_prefix(url.find("://") + 3);
    return url.substr(0, url.find('/'));
}

}  // namespace

std::string redis_address::text() const {
    return host.find(':') == std::string::npos ? host + ":" + port : fmt::format("[{}]:{}", host, port);
}

std::optional<redis_address> parse_redis_address(std::string_view text) {
    std::string_view host = text, port = usual_port;
    const std::size_t colon = text.rfind(':');
    if (colon != std::string_view::npos && !text.ends_with(']')) {
        host = text.substr(0, colon);
        port = text.substr(colon + 1);
    }
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (!is_port(port)) return std::nullopt;
    return redis_address{host.empty() ? "127.0.0.1" : std::string(host), std::string(port)};
}

bool has_password(std::string_view url) {
    if (url.find("://") == std::string_view::npos) return false;
    const std::string_view authority = authority_of(url);
    const std::size_t at = authority.rfind('@');
    return at != std::string_view::npos && authority.substr(0, at).find(':') != std::string_view::npos;
}

std::optional<redis_server> parse_redis_server(std::string_view text) {
    redis_server server;
    if (text.empty() || has_password(text)) return std::nullopt;
    std::string_view place = text;
    if (text.find("://") != std::string_view::npos) {
        server.has_tls = text.starts_with(tls_scheme);
        if (!server.has_tls && !text.starts_with(plain_scheme)) return std::nullopt;
        place = authority_of(text);
        const std::string_view rest = text.substr(text.find("://") + 3 + place.size());
        if (const std::size_t at = place.rfind('@'); at != std::string_view::npos) {
            const auto user = percent_decoded(place.substr(0, at));
            if (!user) return std::nullopt;
            server.user = *user;
            place.remove_prefix(at + 1);
        }
        if (rest.size() > 1) {
            const auto database = whole_number<std::uint32_t>(rest.substr(1));
            if (!database) return std::nullopt;
            server.database = *database;
        }
    } else if (text.find_first_of("/@") != std::string_view::npos) {
        return std::nullopt;
    }
    const auto address = parse_redis_address(place);
    if (!address) return std::nullopt;
    server.address = *address;
    return server;
}

}  // namespace membrane::cli
