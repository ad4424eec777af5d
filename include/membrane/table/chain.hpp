// A bucket of exact entries: a singly linked list through a common array, its length, and a flag that it has refused an entry.
// Erasing never clears the flag, because the refused entry may still be in a later bucket.
#pragma once

#include <cstdint>

#include <membrane/base/target.hpp>

MEMBRANE_TARGET_BEGIN

inline constexpr std::uint64_t no_entry = UINT64_MAX;

struct chain {
    std::uint64_t first = no_entry;
    std::uint32_t load = 0;
    bool has_refused = false;

    // `entries[i]` must have a member `next`.
    template <class Entries>
    void push(Entries& entries, std::uint64_t index) {
        entries[index].next = first;
        first = index;
        ++load;
    }

    // The link that points to `index`: the start of the chain or the `next` of the entry before it.
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
