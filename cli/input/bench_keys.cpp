#include "bench_keys.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>

#include "cli/print/progress.hpp"

namespace membrane::cli {

namespace {

struct low_half {
    std::size_t operator()(key_hash hash) const { return static_cast<std::size_t>(hash.low); }
};

}  // namespace

file_keys::file_keys(const key_source& source, const hasher& hash, std::optional<std::uint64_t> most,
                     bool is_quiet)
    : keys_(source.format == key_format::u64 ? timing::key_type::integer : timing::key_type::text) {
    key_reader reader(source);
    progress bar("reading", reader.total_bytes(), is_quiet);
    std::unordered_set<key_hash, low_half> seen;
    const auto is_enough = [&] { return most && keys_.size() >= *most; };
    while (!is_enough()) {
        const auto batch = reader.next_batch(hash);
        if (batch.keys.empty()) break;
        for (std::size_t i = 0; i < batch.keys.size() && !is_enough(); ++i)
            if (seen.insert(batch.hashes[i]).second) keys_.add(batch.keys[i].bytes);
        bar.update(reader);
    }
    members_ = keys_.size();
}

double file_keys::mean_key_bytes() const {
    return static_cast<double>(keys_.size_bytes()) /
           static_cast<double>(std::max<std::size_t>(keys_.size(), 1));
}

void file_keys::add_stranger(std::uint64_t number, timing::key_set& to) const {
    std::uint64_t word = finalise64(number + 1);
    std::string key(std::max(keys_.key(fastrange(word, members_)).size(), sizeof word), '\0');
    for (std::size_t at = 0; at < key.size(); at += sizeof word, word = finalise64(word + at))
        std::memcpy(key.data() + at, &word, std::min(sizeof word, key.size() - at));
    to.add(key);
}

}  // namespace membrane::cli
