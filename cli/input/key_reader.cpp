#include "key_reader.hpp"

namespace membrane::cli {

std::span<const input_key> key_reader::next_batch() {
    for (;;) {
        if (const auto batch = parser_.next_batch(); !batch.empty()) {
            keys_read_ += batch.size();
            keys_in_batch_ = batch.size();
            return batch;
        }
        notes_.add(parser_.notes());
        parser_.check();
        parser_.stop();
        if (!blocks_.next(block_)) return {};
        parser_.start(block_);
    }
}

}  // namespace membrane::cli
