// Builds a filter for an unknown number of keys, saves it, maps it and asks in batches.
#include <cstdio>
#include <vector>

#include <membrane/membrane.hpp>

int main() {
    const auto key = membrane::random_hash_key();
    if (!key) return 1;
    const membrane::hasher hash{membrane::hash_id::siphash13, *key};

    membrane::hash_spool spool(membrane::duplicates::drop);  // keeps hashes, sizes at the end
    for (std::uint64_t i = 0; i < 200'000; ++i)
        if (!spool.add(hash(i / 2))) return 1;

    membrane::build_request request;
    request.kind = membrane::find_entry("blocked_bloom");
    request.wanted.fpr = 0.001;
    request.hash = hash;
    const auto built = membrane::build_from(spool, request);
    if (!built) return std::fprintf(stderr, "%s\n", membrane::describe(built.error()).c_str()), 1;

    const char* const path = "/tmp/membrane-example.mbr";
    if (const auto saved = membrane::save(*built, path, membrane::existing::replace); !saved)
        return std::fprintf(stderr, "%s: %s\n", path, membrane::describe(saved.error()).c_str()), 4;
    const auto mapped = membrane::mapped_filter::try_open(path);
    std::remove(path);
    if (!mapped) return 3;

    std::vector<membrane::key_hash> asked;
    for (std::uint64_t i = 0; i < 100'000; ++i) asked.push_back(hash(i));
    std::vector<std::uint64_t> answers(membrane::bitmap_words(asked.size()));
    const std::size_t present = (*mapped)->may_contain_many(asked, answers);
    std::printf("%zu of 100000 present, %.1f bits per key, about %.0f keys inside\n", present,
                8.0 * static_cast<double>((*mapped)->size_bytes()) / 100'000, (*mapped)->estimated_size());
    return present == 100'000 ? 0 : 1;
}
