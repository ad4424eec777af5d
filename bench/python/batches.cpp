// python_beside FILE COUNT FPR: the batches of C++ that bench/python/table.py compares with those of Python, on the same filter and the
// same keys. For each line of the input, "contains" or "update", one line of output: seconds. `update` fills an empty filter of the
// same parameters.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include <membrane/membrane.hpp>

namespace {

// As in table.py.
std::vector<std::uint64_t> some_keys(std::uint64_t count) {
    std::vector<std::uint64_t> keys(count);
    for (std::uint64_t i = 0; i < count; ++i) keys[i] = (i + 1) * 0x9e3779b97f4a7c15;
    return keys;
}

template <class Work>
double seconds_of(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) return 2;
    const auto keys = some_keys(std::stoull(arguments[2]));
    const double fpr = std::stod(arguments[3]);
    const auto asked = membrane::filter::load(arguments[1]);
    std::vector<std::uint64_t> answers(membrane::bitmap_words(keys.size()));
    for (std::string line; std::getline(std::cin, line);) {
        double taken = 0;
        std::size_t present = 0;
        if (line == "contains") {
            taken = seconds_of([&] { present = asked.may_contain_many(keys, answers); });
        } else {
            membrane::filter filled(keys.size(), fpr);
            taken = seconds_of([&] { filled.insert_many(keys); });
            present = filled.may_contain_many(keys, answers);
        }
        if (present != keys.size()) return 1;
        std::cout << taken << std::endl;
    }
}
