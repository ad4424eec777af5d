#include "tally.hpp"

#include <membrane/kind/count_min/heavy_hitters.hpp>
#include <membrane/kind/count_min/spec.hpp>

#include "cli/print/failure.hpp"

namespace membrane::cli {

void tally(any_filter& filter, key_reader& reader, progress& bar, std::string_view file) {
    heavy_hitters most_counted(filter.spec()[count_min_field::top_slots],
                               filter.spec()[count_min_field::top_key_bytes]);
    for (const counted_key& entry : filter.top()) most_counted.offer(entry);
    for (auto batch = reader.next_batch(filter.hash()); !batch.keys.empty();
         batch = reader.next_batch(filter.hash())) {
        for (std::size_t i = 0; i < batch.keys.size(); ++i) {
            if (auto counted = filter.add(batch.hashes[i], 1); !counted) {
                membrane::error problem = counted.error();
                fail_about(file, problem.with_note("count with --cell-bits 64"));
            }
            most_counted.offer(batch.hashes[i], *filter.estimate(batch.hashes[i]), batch.keys[i].bytes);
        }
        bar.update(reader);
    }
    filter.set_top(most_counted.sorted());
}

}  // namespace membrane::cli
