// Any bytes, as a packed filter and as a patch for filters of ours. What unpacking makes must be a filter that packs again; a patch
// that is refused leaves its filter as it is. The mutator repairs the checksums of the packed bytes, without which nothing would get to
// their decoders.
#include <cstring>
#include <vector>

#include <membrane/runtime/number_files.hpp>

#include "exercise.hpp"
#include "memory_limit.hpp"
#include "repair.hpp"
#include "samples.hpp"

using namespace membrane;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

constexpr std::uint64_t most_made_bytes = 1 << 16;

any_filter numbers_of(bool erasable, std::uint64_t first, std::uint64_t count) {
    const kind_entry& kind = *find_entry(kind_id::balanced_rank);
    plan::given_fields given;
    const auto spec = kind.plan.size({.keys = 40, .fpr = 0.02, .needs = {.erase = erasable}}, given);
    auto made = any_filter::create(*spec, {hash_id::fold, {1, 2}});
    for (std::uint64_t i = 0; i < count; ++i) static_cast<void>(made->insert(first + i / 2));
    return std::move(*made);
}
const any_filter& older(bool erasable) {
    static const any_filter filters[]{numbers_of(false, 0, 60), numbers_of(true, 0, 60)};
    return filters[erasable ? 1 : 0];
}

// Packs and patches to begin with.
std::vector<std::vector<std::byte>> samples() {
    std::vector<std::vector<std::byte>> all;
    for (const bool erasable : {false, true}) {
        const any_filter newer = numbers_of(erasable, 10, 90);
        all.push_back(*older(erasable).pack());
        all.push_back(*diff(older(erasable), newer));
    }
    const kind_entry& rank = *find_entry(kind_id::rank);
    for (std::uint64_t mode = 0; mode < 3; ++mode) {
        plan::given_fields given;
        given.spec.kind = kind_id::rank;
        given.spec[0] = mode;
        given.is_given.set(0);
        auto filter =
            any_filter::create(*rank.plan.size({.keys = 40, .fpr = 0.02}, given), {hash_id::fold, {1, 2}});
        for (std::uint64_t key = 0; key < 40; ++key)
            if (!filter->insert_value(key, 3)) static_cast<void>(filter->insert(key));
        all.push_back(*filter->pack());
    }
    return all;
}

// Checksums and lengths behind the header, which begins at byte 8.
void repair_behind_header(std::span<std::byte> file) {
    if (file.size() < layout::packed_header_at) return;
    const auto rest = file.subspan(layout::packed_header_at);
    const std::size_t header_bytes = usable_header_bytes(rest);
    if (header_bytes == 0) return;
    const std::size_t checksum_at = header_bytes - layout::checksum_bytes;
    store_le(rest.data() + checksum_at, checksum64(std::span<const std::byte>(rest).first(checksum_at)));
    const auto behind = rest.subspan(header_bytes);
    if (std::memcmp(file.data(), layout::pack_magic.data(), layout::pack_magic.size()) == 0) {
        if (behind.size() < 16) return;
        store_le(behind.data(), static_cast<std::uint64_t>(behind.size() - 16));
        store_le(behind.data() + 8, checksum64(behind.subspan(16)));
    } else if (behind.size() >= 32) {
        const std::uint64_t both = behind.size() - 32;
        const std::uint64_t came = std::min(load_le<std::uint64_t>(behind.data() + 8), both);
        store_le(behind.data() + 8, came);
        store_le(behind.data() + 16, both - came);
        store_le(behind.data() + 24, checksum64(behind.subspan(32)));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::memory_limit limit(size);
    const std::vector<std::byte> file(reinterpret_cast<const std::byte*>(data),
                                      reinterpret_cast<const std::byte*>(data) + size);
    if (const auto made = any_filter::unpack(file, most_made_bytes)) {
        exercise_reading(*made, checksum64(file) % 64 == 0);
        MEMBRANE_REQUIRE(!any_filter::unpack(file, made->size_bytes() - 1));
        for (const bool erasable : {false, true}) {
            const auto found = compare(*made, older(erasable));
            if (found)
                MEMBRANE_REQUIRE(found->jaccard.low <= found->jaccard.high && found->shared.value >= 0);
            if (const auto difference = diff(older(erasable), *made)) {
                const auto newer = patched(older(erasable), *difference);
                MEMBRANE_REQUIRE(newer.has_value() && newer->keys() == made->keys());
            }
        }
        const auto again = made->pack();
        MEMBRANE_REQUIRE(again.has_value());
        const auto same = any_filter::unpack(*again);
        MEMBRANE_REQUIRE(same.has_value() && same->keys() == made->keys());
    } else {
        MEMBRANE_REQUIRE(!describe(made.error()).empty());
    }
    for (const bool erasable : {false, true}) {
        const any_filter& filter = older(erasable);
        const std::uint64_t before = checksum64(filter.payload());
        if (const auto made = patched(filter, file, most_made_bytes)) {
            exercise_reading(*made, false);
            MEMBRANE_REQUIRE(!patched(filter, file, made->size_bytes() - 1));
            const auto found = compare(filter, *made);
            MEMBRANE_REQUIRE(found.has_value() && found->jaccard.high <= 1);
        }
        MEMBRANE_REQUIRE(checksum64(filter.payload()) == before);
    }
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
    if (seed % 16 != 1) repair_behind_header(std::as_writable_bytes(std::span(data, changed)));
    return changed;
}
