// Uses the compiled part from outside: a filter written to a file and answered from the mapped file.
#include <cstdio>
#include <string>

#include <membrane/membrane.hpp>

int main(int, char** argv) {
    const std::string path = std::string(argv[0]) + ".mbr";
    membrane::filter filter(1000, 0.01);
    for (int key = 0; key < 1000; ++key) filter.insert(key);
    filter.save(path);
    const auto mapped = membrane::mapped_filter::open(path);
    for (int key = 0; key < 1000; ++key) {
        if (!mapped.may_contain(key)) return 5;
    }
    std::printf("membrane %s\n", membrane::version_string);
    return 0;
}
