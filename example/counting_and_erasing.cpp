// links: headers. Keys that come and go, and keys that are counted.
#include <cstdio>

#include <membrane/kind/owning.hpp>

int main() {
    auto sessions = membrane::make_counting_bloom_filter(10'000, 0.01);
    if (!sessions) return 1;
    sessions->insert("session-1");
    sessions->insert("session-2");
    const bool erased = sessions->erase("session-1");  // only what was inserted may be erased
    std::printf("erased: %d, session-2 still there: %d\n", erased, sessions->may_contain("session-2"));

    auto spec = membrane::initial_spec(membrane::kind_id::count_min, membrane::count_min_fields);
    spec[membrane::count_min_field::width] = 5443;  // prime, about 2e / 0.001
    spec[membrane::count_min_field::depth] = 7;
    auto hits = membrane::count_min_sketch::create(spec);
    if (!hits) return std::fprintf(stderr, "%s\n", membrane::describe(hits.error()).c_str()), 1;
    for (std::uint64_t i = 0; i < 100'000; ++i) hits->add(i % 1000, 1);
    std::printf("key 7 was counted %llu times (100 really; never fewer)\n",
                static_cast<unsigned long long>(hits->estimate(std::uint64_t{7})));
    return erased && sessions->may_contain("session-2") && hits->estimate(std::uint64_t{7}) >= 100 ? 0 : 1;
}
