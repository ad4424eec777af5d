// Any bytes, given to the C interface: as a file, as a packed filter, as a patch. Whatever comes of it, each call returns a status, and a
// filter that was made can be used and closed.
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <membrane/membrane.h>

#include "exercise.hpp"
#include "memory_limit.hpp"
#include "repair.hpp"
#include "samples.hpp"

using namespace membrane;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

void use(membrane_filter* filter) {
    bool yes = false;
    uint64_t number = 0;
    double rate = 0;
    char* json = nullptr;
    MEMBRANE_REQUIRE(membrane_may_contain(filter, "key", 3, &yes) == MEMBRANE_OK);
    if (membrane_insert(filter, "key", 3) == MEMBRANE_OK)
        MEMBRANE_REQUIRE(membrane_may_contain(filter, "key", 3, &yes) == MEMBRANE_OK && yes);
    static_cast<void>(membrane_count(filter, "key", 3, &number));
    static_cast<void>(membrane_erase(filter, "key", 3, &yes));
    MEMBRANE_REQUIRE(membrane_estimated_fpr(filter, &rate) == MEMBRANE_OK && rate >= 0 && rate <= 1);
    if (membrane_info(filter, false, &json) == MEMBRANE_OK) membrane_free(json);
    membrane_counted_key* top = nullptr;
    size_t count = 0, length = 0;
    if (membrane_top(filter, 5, &top, &count) == MEMBRANE_OK) membrane_free(top);
    void* bytes = nullptr;
    MEMBRANE_REQUIRE(membrane_to_bytes(filter, &bytes, &length) == MEMBRANE_OK);
    membrane_filter* again = nullptr;
    MEMBRANE_REQUIRE(membrane_from_bytes(bytes, length, &again) == MEMBRANE_OK);
    membrane_free(bytes);
    if (membrane_pack(filter, &bytes, &length) == MEMBRANE_OK) membrane_free(bytes);
    if (membrane_diff(again, filter, &bytes, &length) == MEMBRANE_OK) {
        membrane_filter* newer = nullptr;
        MEMBRANE_REQUIRE(membrane_patch(again, bytes, length, 0, &newer) == MEMBRANE_OK);
        membrane_close(newer);
        membrane_free(bytes);
    }
    static_cast<void>(membrane_merge(filter, again));
    membrane_close(again);
    membrane_close(filter);
}

// A mapped filter's bytes, and the file that is saved from it.
void save_and_open(const membrane_filter* filter) {
    static const std::string saved = "/dev/shm/fuzz_c_bytes." + std::to_string(::getpid());
    void* bytes = nullptr;
    size_t length = 0;
    membrane_filter* again = nullptr;
    MEMBRANE_REQUIRE(membrane_to_bytes(filter, &bytes, &length) == MEMBRANE_OK);
    membrane_free(bytes);
    MEMBRANE_REQUIRE(membrane_save(filter, saved.c_str(), true) == MEMBRANE_OK);
    MEMBRANE_REQUIRE(membrane_save(filter, saved.c_str(), false) == MEMBRANE_ALREADY_EXISTS);
    MEMBRANE_REQUIRE(membrane_open(saved.c_str(), &again) == MEMBRANE_OK);
    membrane_close(again);
    ::unlink(saved.c_str());
}

const membrane_filter* sample_filter() {
    static membrane_filter* const filter = [] {
        membrane_filter* made = nullptr;
        MEMBRANE_REQUIRE(membrane_create(100, 0.01, MEMBRANE_ERASE, &made) == MEMBRANE_OK);
        for (uint64_t key = 0; key < 30; ++key)
            MEMBRANE_REQUIRE(membrane_insert_u64(made, key) == MEMBRANE_OK);
        return made;
    }();
    return filter;
}

std::vector<std::vector<std::byte>> samples() {
    std::vector<std::vector<std::byte>> all;
    for (any_filter& filter : fuzz::small_filters()) {
        all.push_back(file_bytes_of(filter));
        if (const auto packed = filter.pack()) all.push_back(*packed);
    }
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::memory_limit limit(size);
    constexpr uint64_t most_bytes = 1 << 16;
    membrane_filter* made = nullptr;
    if (membrane_from_bytes(data, size, &made) == MEMBRANE_OK) use(made);
    else MEMBRANE_REQUIRE(std::strlen(membrane_last_error()) > 3);
    // The same bytes as a file, which is read, and mapped with and without its payload's checksum.
    const int file = ::memfd_create("file", MFD_CLOEXEC);
    MEMBRANE_REQUIRE(file >= 0 && ::write(file, data, size) == static_cast<ssize_t>(size));
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    const bool is_file = membrane_open(path.c_str(), &made) == MEMBRANE_OK;
    if (is_file) use(made);
    else MEMBRANE_REQUIRE(std::strlen(membrane_last_error()) > 3);
    for (const bool checks_payload : {false, true})
        if (membrane_map(path.c_str(), checks_payload, &made) == MEMBRANE_OK) {
            bool yes = false;
            MEMBRANE_REQUIRE(membrane_may_contain(made, "key", 3, &yes) == MEMBRANE_OK);
            MEMBRANE_REQUIRE(membrane_insert(made, "key", 3) == MEMBRANE_READ_ONLY);
            if (checks_payload && size % 64 == 0) save_and_open(made);
            membrane_close(made);
        } else {
            MEMBRANE_REQUIRE(!is_file);
        }
    ::close(file);
    if (membrane_patch(sample_filter(), data, size, most_bytes, &made) == MEMBRANE_OK) use(made);
    if (membrane_unpack(data, size, most_bytes, &made) == MEMBRANE_OK) use(made);
    else MEMBRANE_REQUIRE(std::strlen(membrane_last_error()) > 3);
    return 0;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    return fuzz::try_samples(samples(), LLVMFuzzerTestOneInput);
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
    static const std::vector<std::vector<std::byte>> all = samples();
    size = fuzz::sample_or_data(all, {data, max_size}, size, layout::least_header_bytes, seed);
    const std::size_t changed = LLVMFuzzerMutate(data, size, max_size);
    const auto bytes = std::as_writable_bytes(std::span(data, changed));
    if (seed % 16 != 1 && changed >= 8 && std::memcmp(data, layout::magic.data(), layout::magic.size()) == 0)
        repair_checksums(bytes);
    return changed;
}
