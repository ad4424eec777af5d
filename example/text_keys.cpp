// links: headers. A Bloom filter over text, with nothing to link.
#include <cstdio>
#include <string>

#include <membrane/kind/owning.hpp>

int main() {
    auto seen = membrane::make_bloom_filter(100'000, 0.001);
    if (!seen) return std::fprintf(stderr, "%s\n", membrane::describe(seen.error()).c_str()), 1;
    int repeated = 0;
    for (int i = 0; i < 100'000; ++i)
        if (!seen->insert_if_absent("user-" + std::to_string(i % 60'000))) ++repeated;
    std::printf("%d of 100000 were seen before (40000 really), %.1f bits per key\n", repeated,
                8.0 * static_cast<double>(seen->size_bytes()) / 60'000);
    return repeated >= 40'000 ? 0 : 1;
}
