#include "key_notes.hpp"

#include <string_view>

#include <fmt/core.h>

#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"

namespace membrane::cli {

void key_notes::add(const key_notes& other) {
    blank += other.blank;
    comments += other.comments;
    cr_ends += other.cr_ends;
    marks += other.marks;
    malformed += other.malformed;
    if (first_malformed.empty()) first_malformed = other.first_malformed;
}

json notes_json(const key_notes& notes) {
    return {{"blank", notes.blank},
            {"comments", notes.comments},
            {"cr_ends", notes.cr_ends},
            {"byte_order_marks", notes.marks},
            {"malformed", notes.malformed}};
}

void say_notes(const key_notes& notes) {
    if (notes.malformed != 0)
        say(fmt::format("{} left out, the first at {}",
                        counted_text(notes.malformed, "malformed line", "malformed lines"),
                        notes.first_malformed));
    std::string text;
    const auto append = [&text](std::string_view part) {
        text.append(text.empty() ? "" : "; ").append(part);
    };
    if (notes.blank != 0) append(counted_text(notes.blank, "blank line", "blank lines") + " left out");
    if (notes.comments != 0) append(counted_text(notes.comments, "comment", "comments") + " left out");
    if (notes.cr_ends != 0)
        append(counted_text(notes.cr_ends, "line", "lines") +
               " ended in CR LF, and the CR is not part of the key");
    if (notes.marks != 0)
        append(counted_text(notes.marks, "byte order mark", "byte order marks") + " left out");
    if (!text.empty()) say("input: " + text);
}

}  // namespace membrane::cli
