// links: headers. A join asks a filter of the smaller table before it reads, sends or sorts a row of the larger one. The key has two
// columns: a type of the program's own, with its membrane_key beside it.
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <vector>

#include <membrane/filter/filters.hpp>

struct order_key {
    std::uint32_t customer;
    std::uint64_t order;
};
auto membrane_key(const order_key& key) { return std::tuple(key.customer, key.order); }

int main() {
    std::vector<order_key> open_orders, shipments;
    for (std::uint32_t i = 0; i < 50'000; ++i) open_orders.push_back({i % 1000, i});
    for (std::uint32_t i = 0; i < 1'000'000; ++i) shipments.push_back({i % 1000, i});

    membrane::blocked_bloom_filter wanted(open_orders.size(), 0.01);
    wanted.insert_many(open_orders);
    std::vector<bool> may_join(shipments.size());
    const std::size_t sent = wanted.may_contain_many(shipments, may_join);

    std::printf("%zu of %zu rows are sent (50000 join); the filter has %llu bytes\n", sent, shipments.size(),
                static_cast<unsigned long long>(wanted.size_bytes()));
    for (std::size_t i = 0; i < open_orders.size(); ++i)
        if (!may_join[i]) return 1;
    return sent < 50'000 + 950'000 / 50 ? 0 : 1;
}
