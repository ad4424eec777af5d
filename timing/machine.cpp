#include "machine.hpp"

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

}  // namespace membrane::timing
