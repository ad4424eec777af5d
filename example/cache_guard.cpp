// links: headers. Most objects that a cache is asked for are asked for once: only what comes a second time is worth a place. Two filters
// remember the last requests; when the younger is full, the older is cleared and takes its turn.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include <membrane/filter/filters.hpp>

class admission {
public:
    explicit admission(std::uint64_t window) : window_(window), young_(window, 0.01), old_(window, 0.01) {}

    // Whether the object was asked for in the last `window` to twice `window` different requests.
    bool is_known(std::uint64_t object) {
        const bool is_known = old_.may_contain(object);
        if (!young_.insert_if_absent(object)) return true;
        if (young_.keys() == window_) {
            swap(young_, old_);
            young_.clear();
        }
        return is_known;
    }

private:
    std::uint64_t window_;
    membrane::blocked_bloom_filter young_, old_;
};

int main() {
    admission guard(10'000);
    int stored = 0, popular_stored = 0;
    for (std::uint64_t request = 0; request < 100'000; ++request) {
        const bool is_popular =
            request % 4 == 0;  // 500 objects that are asked for again and again, and others once
        const std::uint64_t object = is_popular ? request / 4 % 500 : 1'000'000 + request;
        if (!guard.is_known(object)) continue;
        ++stored;
        popular_stored += is_popular;
    }
    std::printf(
        "100000 requests, 75000 for objects that come once: %d writes into the cache, %d of them for popular "
        "objects\n",
        stored, popular_stored);
    return popular_stored == 25'000 - 500 && stored - popular_stored < 75'000 / 40 ? 0 : 1;
}
