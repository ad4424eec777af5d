// Uses the umbrella header without linking anything of membrane.
#include <cstdio>
#include <string>

#include <membrane/membrane.hpp>

int main() {
    auto filter = membrane::make_bloom_filter(1000, 0.01);
    if (!filter) return 1;
    for (int i = 0; i < 1000; ++i) filter->insert("user-" + std::to_string(i));
    for (int i = 0; i < 1000; ++i) {
        if (!filter->may_contain("user-" + std::to_string(i))) return 2;
    }
    std::printf("%.1f keys, by the fill\n", filter->estimated_size());
    return 0;
}
