#include "machine.hpp"

#include <cstdlib>
#include <fstream>

namespace membrane::timing {

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (const auto colon = line.find(": ");
            line.rfind("model name", 0) == 0 && colon != std::string::npos)
            return line.substr(colon + 2);
    return "unknown processor";
}

namespace {

std::string first_word(const std::string& path) {
    std::ifstream file(path);
    std::string word;
    file >> word;
    return word;
}

}  // namespace

// Not by sysconf, which in a virtual machine returns the sum of the host's caches.
std::uint64_t cache_bytes(int level) {
    constexpr int most_caches = 8;
    for (int i = 0; i < most_caches; ++i) {
        const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
        if (first_word(cache + "level") != std::to_string(level)) continue;
        if (first_word(cache + "type") == "Instruction") continue;
        return std::strtoull(first_word(cache + "size").c_str(), nullptr, 10) * 1024;
    }
    return 0;
}

}  // namespace membrane::timing
