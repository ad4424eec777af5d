// The keys that no bucket took, exactly: 64-bit words (remixes of their hashes, never 0), each once (part/sorted_slots.hpp).
// A word's home is its share of the slots.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <membrane/base/multiply.hpp>
#include <membrane/base/target.hpp>
#include <membrane/part/sorted_slots.hpp>

MEMBRANE_TARGET_BEGIN

class overflow_list {
    struct home_of {
        std::uint64_t homes;
        std::uint64_t operator()(std::uint64_t word) const noexcept { return fastrange(word, homes); }
    };

public:
    static constexpr std::uint64_t most_moved = sorted_slots<home_of>::most_moved;
    // Slots behind the last home. Words come singly and evenly: with 85 % of the slots in use, as the planner has it, more are
    // needed in one list of 500 million (test/balanced/overflow_list.cpp).
    static constexpr std::uint64_t most_spare = 64;

    overflow_list(std::byte* bytes, std::uint64_t slots) noexcept
        : words_(bytes, slots, {slots - std::min(slots / 2, most_spare)}) {}

    static std::optional<std::uint64_t> size_bytes(std::uint64_t slots) {
        return sorted_slots<home_of>::size_bytes(slots);
    }

    std::uint64_t count() const noexcept { return words_.in_use(); }

    bool contains(std::uint64_t word) const noexcept {
        word = never_zero(word);
        return words_.word(words_.first_not_below(word)) == word;
    }

    // True if the word is in the list now; false, and nothing changed, if there is no room for it.
    bool insert(std::uint64_t word) noexcept {
        word = never_zero(word);
        const std::uint64_t at = words_.first_not_below(word);
        return words_.word(at) == word || words_.insert(at, word);
    }

    std::uint64_t slots() const noexcept { return words_.slots(); }
    // Where a lookup of this word begins; there must be slots.
    const std::byte* home(std::uint64_t word) const noexcept { return words_.home(never_zero(word)); }

    result<void> check() const {
        return words_.check([](std::uint64_t last, std::uint64_t word) { return last < word; });
    }

private:
    static std::uint64_t never_zero(std::uint64_t word) noexcept { return word == 0 ? 1 : word; }

    sorted_slots<home_of> words_;
};

MEMBRANE_TARGET_END
