// Any bytes, as a file of keys in every format, compressed or not. The first two bytes choose the format and its options. Keys lie inside
// their records; a second reading says the same.
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/input/file_start.hpp"
#include "cli/input/key_parser.hpp"
#include "cli/print/failure.hpp"

#include "memory_limit.hpp"
#include "require.hpp"

using namespace membrane;
using namespace membrane::cli;

namespace {

key_source chosen_source(const std::string& file, unsigned choice) {
    key_source source;
    source.files = {file};
    source.format = static_cast<key_format>(choice % 4);
    choice /= 4;
    const bool is_text = source.format == key_format::lines || source.format == key_format::nul;
    if (is_text && choice % 4 == 1) source.keys = {{1}, {-1, 2}};
    if (is_text && choice % 4 == 2) source.has_tokens = true;
    if (is_text && choice % 8 >= 4 && !source.keys.empty()) source.delimiter = ',';
    choice /= 8;
    source.keeps_blank = choice % 2 != 0;
    source.is_exact = choice / 2 % 2 != 0;
    source.has_comments = choice / 4 % 2 != 0;
    source.skips_malformed = choice / 8 % 2 != 0;
    return source;
}

// The sum of the hashes of all keys up to the first malformed one, and how many they were.
std::pair<std::uint64_t, std::uint64_t> keys_of(const key_source& source) {
    std::uint64_t sum = 0, keys = 0;
    try {
        record_blocks blocks(source);
        key_parser parser(source);
        const hasher hash{hash_id::xxh3, {1, 2}};
        for (record_block block; blocks.next(block);) {
            parser.start(block);
            for (auto batch = parser.next_batch(); !batch.empty(); batch = parser.next_batch()) {
                MEMBRANE_REQUIRE(batch.size() <= key_parser::batch_keys &&
                                 parser.lines().size() == batch.size());
                const auto hashes = parser.hash_batch(hash);
                MEMBRANE_REQUIRE(hashes.size() == batch.size());
                for (std::size_t i = 0; i < batch.size(); ++i) sum += hashes[i].low ^ batch[i].record.size();
                keys += batch.size();
            }
            parser.check();
            parser.stop();
        }
    } catch (const failure& problem) {
        MEMBRANE_REQUIRE(!problem.message.empty());
    }
    return {sum, keys};
}

int file_of(std::string_view bytes) {
    const int file = ::memfd_create("keys", MFD_CLOEXEC);
    MEMBRANE_REQUIRE(file >= 0 &&
                     ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    return file;
}

constexpr std::size_t pipe_bytes = 1 << 15;  // go into a pipe without a reader

// The reading end of a pipe whose writer has gone.
int pipe_of(std::string_view bytes) {
    int ends[2];
    MEMBRANE_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0 &&
                     ::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
    return ends[0];
}

file_start start_of_bytes(std::string_view bytes) {
    const int file = file_of(bytes);
    const file_start found = start_of("/proc/self/fd/" + std::to_string(file));
    ::close(file);
    return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::memory_limit limit(size);
    if (size < 2) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
    const unsigned choice = data[0] + 256u * data[1];
    const auto keys_in = [&](int input) {
        const std::string path = "/proc/self/fd/" + std::to_string(input);
        static_cast<void>(start_of(path));
        const auto keys = keys_of(chosen_source(path, choice));
        ::close(input);
        return keys;
    };
    const auto first = keys_in(file_of(bytes)), second = keys_in(file_of(bytes));
    MEMBRANE_REQUIRE(first == second);
    // A pipe says the same, but that the beginning of another kind of file is not seen there.
    if (bytes.size() <= pipe_bytes && start_of_bytes(bytes) == file_start::other)
        MEMBRANE_REQUIRE(keys_in(pipe_of(bytes)) == first);
    return 0;
}
