#include "tally.hpp"

#include <membrane/kind/count_min/spec.hpp>

#include "cli/print/failure.hpp"

namespace membrane::cli {

tally::tally(any_filter& filter, std::string file)
    : filter_(&filter),
      file_(std::move(file)),
      most_counted_(filter.spec()[count_min_field::top_slots],
                    filter.spec()[count_min_field::top_key_bytes]) {
    for (const counted_key& entry : filter.top()) most_counted_.offer(entry);
}

void tally::add(const key_reader::hashed_batch& batch) {
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
        if (auto counted = filter_->add(batch.hashes[i], 1); !counted) {
            membrane::error problem = counted.error();
            fail_about(file_, problem.with_note("count with --cell-bits 64"));
        }
        most_counted_.offer(batch.hashes[i], *filter_->estimate(batch.hashes[i]), batch.keys[i].bytes);
    }
}

void tally::settle() { filter_->set_top(most_counted_.sorted()); }

void tally_all(any_filter& filter, key_reader& reader, progress& bar, const std::string& file) {
    tally counts(filter, file);
    for (auto batch = reader.next_batch(filter.hash()); !batch.keys.empty();
         batch = reader.next_batch(filter.hash())) {
        counts.add(batch);
        bar.update(reader);
    }
    counts.settle();
}

}  // namespace membrane::cli
