// Any bytes, as what a server sends: each reply is read or refused, within memory in proportion to what came. No socket is opened: the
// calls of the system that redis_link makes are answered here.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/socket.h>

#include "cli/print/failure.hpp"
#include "cli/remote/redis_link.hpp"

#include "memory_limit.hpp"
#include "require.hpp"

using namespace membrane::cli;

namespace {

const std::uint8_t* left = nullptr;
std::size_t left_bytes = 0, most_at_once = 1;

std::size_t items_in(const redis_reply& reply) {
    std::size_t items = 1;
    for (const redis_reply& each : reply.items) items += items_in(each);
    return items;
}

}  // namespace

extern "C" {

int socket(int, int, int) { return ::open("/dev/null", O_RDWR | O_CLOEXEC); }
int connect(int, const sockaddr*, socklen_t) { return 0; }
int setsockopt(int, int, int, const void*, socklen_t) { return 0; }
ssize_t send(int, const void*, std::size_t size, int) { return static_cast<ssize_t>(size); }
ssize_t recv(int, void* to, std::size_t size, int) {
    const std::size_t given = std::min({size, left_bytes, most_at_once});
    if (given != 0) std::memcpy(to, left, given);
    left += given;
    left_bytes -= given;
    return static_cast<ssize_t>(given);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const membrane::fuzz::memory_limit limit(size);
    if (size == 0) return 0;
    // The first byte: how many bytes come at once.
    most_at_once = data[0] < 128 ? 1 + std::size_t{data[0]} : 1 << 16;
    left = data + 1;
    left_bytes = size - 1;
    const redis_address server{"127.0.0.1", "6379"};
    // Some log in first, and choose a database.
    redis_access access;
    if (data[0] % 4 == 1) access.password = "secret";
    if (data[0] % 8 == 5) access.server.user = "reader";
    if (data[0] % 8 >= 6) access.server.database = 3;
    try {
        redis_link link(server, access, nullptr);
        for (bool wants_text = true;; wants_text = !wants_text) {
            const redis_reply reply = link.ask({"PING"});
            MEMBRANE_REQUIRE(items_in(reply) <= size);
            try {
                check_form(server, "PING", reply,
                           wants_text ? redis_reply::form::text : redis_reply::form::integer);
            } catch (const failure& refused) {
                MEMBRANE_REQUIRE(refused.message.size() < 400);
            }
        }
    } catch (const lost_connection& end) {
        MEMBRANE_REQUIRE(std::strlen(end.what()) > 10);
    } catch (const failure& refused) {
        MEMBRANE_REQUIRE(refused.message.starts_with("127.0.0.1:6379: "));
    }
    return 0;
}
}
