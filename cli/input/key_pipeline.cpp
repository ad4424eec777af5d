#include "key_pipeline.hpp"

namespace membrane::cli {

std::optional<key_pipeline::turn> key_pipeline::take(record_block& block) {
    const std::lock_guard lock(reading_);
    if (is_over_) return std::nullopt;
    try {
        const bool is_filled = blocks_.next(block);
        is_waiting_ = false;
        if (is_filled) return turn{turns_taken_++, nullptr};
        is_over_ = true;
        return std::nullopt;
    } catch (...) {
        is_over_ = true;
        return turn{turns_taken_++, std::current_exception()};
    }
}

int key_pipeline::flush_before_wait() {
    const std::lock_guard lock(turns_);
    is_waiting_ = true;
    out().flush();
    return before_wait_ ? before_wait_() : -1;
}

void key_pipeline::count(const key_parser& parser) {
    keys_read_ += parser.keys();
    notes_.add(parser.notes());
}

}  // namespace membrane::cli
