#include "key_pipeline.hpp"

#include "key_reader.hpp"

namespace membrane::cli {

std::optional<key_pipeline::turn> key_pipeline::take(record_block& block) {
    const std::lock_guard lock(reading_);
    if (is_over_) return std::nullopt;
    try {
        if (blocks_.next(block)) return turn{turns_taken_++, nullptr};
        is_over_ = true;
        return std::nullopt;
    } catch (...) {
        is_over_ = true;
        return turn{turns_taken_++, std::current_exception()};
    }
}

void key_pipeline::count(const record_block& block, const key_parser& parser) {
    if (block.begins_file) file_keys_ = 0;
    file_keys_ += parser.keys();
    keys_read_ += parser.keys();
}

void key_pipeline::check(const record_block& block, const key_parser& parser) const {
    if (parser.problem()) fail_at_record(block, file_keys_ + 1, *parser.problem());
}

}  // namespace membrane::cli
