// What the reader of keys left out or changed, counted, and how the commands say so.
#pragma once

#include <cstdint>
#include <string>

#include "cli/print/json.hpp"

namespace membrane::cli {

struct key_notes {
    std::uint64_t blank = 0, comments = 0;
    std::uint64_t cr_ends = 0;  // lines that ended in CR LF
    std::uint64_t marks = 0;    // files that began with a byte order mark
    std::uint64_t malformed = 0;
    std::string first_malformed;  // its place and what is wrong with it

    void add(const key_notes& other);
};

json notes_json(const key_notes& notes);

// Says what is not zero, as one message for the malformed lines and one for the rest.
void say_notes(const key_notes& notes);

}  // namespace membrane::cli
