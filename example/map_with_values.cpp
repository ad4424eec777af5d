// links: headers. A map from keys to small values that does not keep the keys: the shard of each object, in 4 bits. A key that was inserted
// finds its value, possibly among others; one that was not finds nothing but for the planned rate.
#include <cstdint>
#include <cstdio>
#include <string>

#include <membrane/filter/filters.hpp>

int main() {
    constexpr int objects = 100'000;
    membrane::rank_map shard_of(objects, 0.001, membrane::value_bits(4));
    for (int i = 0; i < objects; ++i) shard_of.insert_value("object-" + std::to_string(i), i % 16);

    int exact = 0;
    for (int i = 0; i < objects; ++i) {
        const auto shards = shard_of.values("object-" + std::to_string(i));
        bool is_there = false;
        for (const std::uint64_t shard : shards) is_there |= shard == static_cast<std::uint64_t>(i % 16);
        if (!is_there) return 1;
        exact += shards.size() == 1;
    }
    shard_of.update_value("object-7", 7, 12);  // it moved
    std::printf("%d of %d objects have one candidate; %.1f bits per object\n", exact, objects,
                8.0 * static_cast<double>(shard_of.size_bytes()) / objects);
    return exact > objects * 0.99 && shard_of.values("object-7").front() == 12 ? 0 : 1;
}
