#include "machine.hpp"

#include <unistd.h>

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

std::uint64_t cache_bytes(int level) {
#if defined(_SC_LEVEL3_CACHE_SIZE)
    const long size = sysconf(level == 1   ? _SC_LEVEL1_DCACHE_SIZE
                              : level == 2 ? _SC_LEVEL2_CACHE_SIZE
                                           : _SC_LEVEL3_CACHE_SIZE);
    return size > 0 ? static_cast<std::uint64_t>(size) : 0;
#else
    return level * 0;
#endif
}

}  // namespace membrane::timing
