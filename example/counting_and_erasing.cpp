// links: headers. Keys that come and go, and keys that are counted.
#include <cstdio>

#include <membrane/filter/filters.hpp>

int main() {
    membrane::counting_bloom_filter sessions(10'000, 0.01);
    sessions.insert("session-1");
    sessions.insert("session-2");
    const bool erased = sessions.erase("session-1");  // only what was inserted may be erased
    std::printf("erased: %d, session-2 still there: %d\n", erased, sessions.may_contain("session-2"));

    membrane::count_min_sketch hits(0.001, 0.999);  // at most 0.1 % of all too high, in 999 of 1000 cases
    for (int i = 0; i < 100'000; ++i) hits.add(i % 1000, 1);
    std::printf("key 7 was counted %llu times (100 really; never fewer)\n",
                static_cast<unsigned long long>(hits.count(7)));
    return erased && sessions.may_contain("session-2") && hits.count(7) >= 100 ? 0 : 1;
}
