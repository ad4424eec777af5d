// Uses the compiled part from outside: a filter written to a file and answered from the mapped file.
#include <cstdio>
#include <string>

#include <membrane/membrane.hpp>

int main(int, char** argv) {
    const std::string path = std::string(argv[0]) + ".mbr";
    const auto spec = membrane::bloom_spec_for(1000, 0.01);
    if (!spec) return 1;
    auto filter = membrane::any_filter::create(*spec, membrane::hasher{});
    if (!filter) return 2;
    for (int key = 0; key < 1000; ++key) filter->insert(key);
    if (!membrane::save(*filter, path, membrane::existing::replace)) return 3;
    const auto mapped = membrane::mapped_filter::open(path);
    if (!mapped) return 4;
    for (int key = 0; key < 1000; ++key) {
        if (!(*mapped)->may_contain(key)) return 5;
    }
    std::printf("membrane %s\n", membrane::version_string);
    return 0;
}
