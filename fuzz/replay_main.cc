// A main() for fuzz bodies without libFuzzer: runs the empty input and every file of the given folders, in name order.
//
// A folder that does not exist counts as empty (a new target has no corpus yet). The count is printed, so that a corpus
// that was lost on the way is visible in the log.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) __attribute__((weak));

// libFuzzer provides this to custom mutators. A replay never mutates, but the target still has to link.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) { return size; }

namespace {

std::vector<std::filesystem::path> corpus_files(int argc, char** argv) {
    std::vector<std::filesystem::path> files;
    for (int i = 1; i < argc; ++i) {
        std::error_code none;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i], none)) {
            if (entry.is_regular_file()) files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

int main(int argc, char** argv) {
    if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
    const std::uint8_t nothing = 0;
    LLVMFuzzerTestOneInput(&nothing, 0);
    const auto files = corpus_files(argc, argv);
    for (const auto& path : files) {
        std::ifstream in(path, std::ios::binary);
        std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        if (in.bad() || !in.is_open()) {
            std::fprintf(stderr, "replay: %s: cannot be read\n", path.c_str());
            return 1;
        }
        bytes.shrink_to_fit();  // a read past the end must leave the allocation, where a sanitizer sees it
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    std::printf("replayed %zu inputs and the empty one\n", files.size());
    return 0;
}
