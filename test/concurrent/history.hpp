// What several threads did to one key and were told, and whether that could have happened in some order in which each call takes effect at
// one moment between its begin and its end (linearizability). Keys are independent of each other, so each has a history of its own.
#pragma once

#include <cstdint>
#include <vector>

namespace membrane::test {

enum class call : std::uint8_t { insert_if_absent, erase, may_contain };

struct called {
    call what;
    bool answer;  // inserted, erased, contained
    std::uint64_t begin, end;
};

// An order of the calls that explains the answers, beginning with a key that is there or not. Histories are short: all orders are tried.
inline bool is_explained(const std::vector<called>& calls, std::uint64_t done, bool is_there) {
    if (done == (std::uint64_t{1} << calls.size()) - 1) return true;
    std::uint64_t first_end = UINT64_MAX;
    for (std::size_t i = 0; i < calls.size(); ++i)
        if ((done >> i & 1) == 0 && calls[i].end < first_end) first_end = calls[i].end;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const called& next = calls[i];
        // Only a call that began before every other open one ended can come next.
        if ((done >> i & 1) != 0 || next.begin > first_end) continue;
        const bool expected = next.what == call::insert_if_absent ? !is_there : is_there;
        if (next.answer != expected) continue;
        const bool then = next.what == call::may_contain ? is_there : next.what == call::insert_if_absent;
        if (is_explained(calls, done | std::uint64_t{1} << i, then)) return true;
    }
    return false;
}
inline bool is_linearizable(const std::vector<called>& calls, bool is_there = false) {
    return is_explained(calls, 0, is_there);
}

}  // namespace membrane::test
