// Uses the umbrella header without linking anything of membrane.
#include <cstdio>
#include <string>

#include <membrane/membrane.hpp>

int main() {
    membrane::bloom_filter filter(1000, 0.01);
    for (int i = 0; i < 1000; ++i) filter.insert("user-" + std::to_string(i));
    for (int i = 0; i < 1000; ++i) {
        if (!filter.may_contain("user-" + std::to_string(i))) return 2;
    }
    std::printf("%.1f keys, by the fill\n", filter.estimated_size());
    return 0;
}
