// ask_cpp FILE: answers 0 or 1 for every line of the input, "b HEX" for bytes, "i NUMBER" for an integer and "p HEX
// NUMBER" for a pair of both.
#include <iostream>
#include <string>
#include <utility>

#include <membrane/membrane.hpp>

namespace {

std::string from_hex(const std::string& digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return bytes;
}

bool ask(const membrane::mapped_filter& filter, const std::string& line) {
    const std::string key = line.substr(2);
    if (line[0] == 'p') {
        const std::size_t blank = key.find(' ');
        return filter.may_contain(std::pair(from_hex(key.substr(0, blank)), std::stoll(key.substr(blank))));
    }
    if (line[0] == 'b') return filter.may_contain(from_hex(key));
    if (key[0] == '-') return filter.may_contain(std::stoll(key));
    return filter.may_contain(std::stoull(key));
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const auto filter = membrane::mapped_filter::open(arguments[1]);
    for (std::string line; std::getline(std::cin, line);) std::cout << (ask(filter, line) ? "1\n" : "0\n");
}
