#include "key_reader.hpp"

#include <fmt/core.h>

#include "cli/print/failure.hpp"

namespace membrane::cli {

void fail_at_record(const record_block& block, std::uint64_t number, std::string_view problem) {
    fail(exit_code::bad_data, fmt::format("{}:{}: {}", block.name, number, problem));
}

std::span<const input_key> key_reader::next_batch() {
    for (;;) {
        if (const auto batch = parser_.next_batch(); !batch.empty()) {
            keys_read_ += batch.size();
            return batch;
        }
        if (parser_.problem()) fail_at_record(block_, earlier_keys_ + parser_.keys() + 1, *parser_.problem());
        earlier_keys_ += parser_.keys();
        parser_.start({});
        if (!blocks_.next(block_)) return {};
        if (block_.begins_file) earlier_keys_ = 0;
        parser_.start(block_.bytes());
    }
}

}  // namespace membrane::cli
