// Any bytes, as a file. What opens must be safe to use in every way; what does not must say why. With and without the
// payload's checksum the answer is the same, but for that checksum and for kinds that can be asked unchecked.
//
// The mutator repairs lengths and checksums of most of its products: without it nothing would get past the header.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include <membrane/runtime/any_view.hpp>

#include "exercise.hpp"
#include "memory_limit.hpp"
#include "repair.hpp"
#include "samples.hpp"

using namespace membrane;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

// One file of each kind, with labels and without.
fuzz::file_samples samples() {
    fuzz::file_samples all;
    for (any_filter& filter : fuzz::small_filters()) {
        all.push_back(file_bytes_of(filter));
        file_labels labels;
        MEMBRANE_REQUIRE(labels.set("name", "seen") && labels.set("date", "2026-11-20") &&
                         labels.set("source", "ą"));
        filter.set_labels(labels);
        all.push_back(file_bytes_of(filter));
    }
    return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::memory_limit limit(size);
    // A block of exactly this size, one byte off any alignment.
    const auto block = std::make_unique<std::byte[]>(size + 1);
    if (size != 0) std::memcpy(block.get() + 1, data, size);
    const std::span<const std::byte> file(block.get() + 1, size);

    const auto trusted = any_view::open(file, checksum::trust);
    const auto verified = any_view::open(file);
    if (!trusted) {
        MEMBRANE_REQUIRE(!verified && !describe(trusted.error()).empty());
        MEMBRANE_REQUIRE(verified.error().code == trusted.error().code ||
                         verified.error().code == errc::bad_payload_checksum);
        return 0;
    }
    MEMBRANE_REQUIRE(trusted->file_bytes() == size);
    if (const auto checked = trusted->check_payload(); !checked) {
        MEMBRANE_REQUIRE(!verified && (verified.error().code == checked.error().code ||
                                       verified.error().code == errc::bad_payload_checksum));
        MEMBRANE_REQUIRE(!any_filter::copy_of(*trusted) && !trusted->pack());
        exercise_unchecked(*trusted);
        return 0;
    }
    MEMBRANE_REQUIRE(verified || verified.error().code == errc::bad_payload_checksum);

    // Runs are what finds things: writing, which costs ten readings, is done on one input in eight, and estimates by
    // likelihood and by the models, which cost thousands, on one in 1024; the inputs' own checksums choose.
    const std::uint64_t choice = checksum64(file);
    exercise_labels(*trusted);
    exercise_reading(*trusted, choice % 1024 == 0);
    if (choice % 8 == 0) exercise_writing(*trusted, choice % 1024 == 0);

    // The writer repeats everything but flags that we do not know.
    const auto saved = file_bytes_of(*trusted);
    const bool has_no_flag = load_le<std::uint64_t>(file.data() + layout::may_ignore_at) == 0;
    if (verified && has_no_flag) MEMBRANE_REQUIRE(std::memcmp(saved.data(), file.data(), size) == 0);
    return 0;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    return fuzz::try_samples(samples(), LLVMFuzzerTestOneInput);
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
    static const fuzz::file_samples all = samples();
    size = fuzz::sample_or_data(all, {data, max_size}, size, 1, seed);
    const std::size_t changed = LLVMFuzzerMutate(data, size, max_size);
    const auto bytes = std::as_writable_bytes(std::span(data, changed));
    const unsigned choice = seed % 16;
    if (choice == 0) return changed;
    if (choice < 4) repair_checksums(bytes);
    else repair_all(bytes);
    return changed;
}
