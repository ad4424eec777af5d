// A bucket of exact entries: a chain through a common array, with the number of its entries and a flag that says whether it
// ever refused one. The flag stays when entries leave: what was refused may still live further on.
#pragma once

#include <cstdint>

#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

inline constexpr std::uint64_t no_entry = UINT64_MAX;

struct chain {
    std::uint64_t first = no_entry;
    std::uint32_t load = 0;
    bool has_refused = false;

    // Entry is a struct with `next`.
    template <class Entries>
    void push(Entries& entries, std::uint64_t index) {
        entries[index].next = first;
        first = index;
        ++load;
    }

    // The place that holds `index`: the chain's start or the entry before it.
    template <class Entries>
    std::uint64_t& link_to(Entries& entries, std::uint64_t index) {
        std::uint64_t* link = &first;
        while (*link != index) link = &entries[*link].next;
        return *link;
    }
    template <class Entries>
    void unlink(Entries& entries, std::uint64_t index) {
        link_to(entries, index) = entries[index].next;
        --load;
    }
};

MEMBRANE_TARGET_END
