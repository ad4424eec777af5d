// Any bytes, as a value of the server: an image that SCANDUMP sends and LOADCHUNK takes in pieces, a .mbr file in pieces, the list of few
// numbers, the items of TOPK. The input's first byte chooses the form and where it is cut. Without a server: its allocator is
// replaced by counters that stand still.
#include <cstring>
#include <vector>

#include "redis/partial_load.hpp"

#include "exercise.hpp"
#include "memory_limit.hpp"
#include "repair.hpp"
#include "samples.hpp"

namespace membrane::redis {

std::uint64_t allocated_by_this_thread() noexcept { return 0; }
std::uint64_t block_bytes(std::uint64_t bytes) noexcept { return bytes; }

}  // namespace membrane::redis

using namespace membrane;
using namespace membrane::redis;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

constexpr std::uint64_t most_bytes = 1 << 20;
constexpr std::size_t stack_checksum_at = 88, few_least_bytes = 72, topk_checksum_at = 72;

void exercise_value(complete_value& value) {
    if (auto* const sketch = std::get_if<topk_sketch>(&value)) {
        MEMBRANE_REQUIRE(sketch->sorted().size() <= sketch->options().k);
        for (const auto* each : sketch->sorted())
            MEMBRANE_REQUIRE(sketch->count_of(each->text) >= each->count);
        const auto added = sketch->add("an item", 3, most_bytes);
        if (added) MEMBRANE_REQUIRE(sketch->count_of("an item") >= 3);
        const auto again = topk_sketch::copy_of(*sketch);
        MEMBRANE_REQUIRE(again.has_value());
        for (const auto* each : again->sorted()) MEMBRANE_REQUIRE(sketch->is_listed(each->text));
        return;
    }
    auto& stack = std::get<filter_stack>(value);
    const key_hash hash = stack.hash()("an item");
    static_cast<void>(stack.estimate(hash));
    if (stack.options().role == stack_role::counts) {
        const std::uint64_t before = stack.estimate(hash);
        if (stack.count(hash, 2)) MEMBRANE_REQUIRE(stack.estimate(hash) >= before + 2);
    }
    auto copy = filter_stack::copy_of(stack);
    MEMBRANE_REQUIRE(copy.has_value() && copy->keys() == stack.keys());
    if (stack.options().role != stack_role::counts) {
        const bool was_there = copy->may_contain(hash);
        const add_result added = copy->add_if_absent(hash, {.max_bytes = most_bytes});
        MEMBRANE_REQUIRE(was_there == (added == add_result::present));
        if (added == add_result::stored) MEMBRANE_REQUIRE(copy->may_contain(hash));
        if (stack.options().role == stack_role::erasable) static_cast<void>(copy->erase(hash));
        // Few numbers become a table.
        copy->prepare_for(1000, {.max_bytes = most_bytes});
        copy->shrink();
    }
    for (std::size_t link = 0; link < stack.filters(); ++link) {
        const auto file = link_file(stack, link);
        MEMBRANE_REQUIRE(!file.empty());
    }
    MEMBRANE_REQUIRE(stack.promised_fpr() >= 0);
    const std::vector<std::byte> image = image_chunk(stack, 0, image_bytes(stack));
    const auto again = open_stack(image, no_byte_limit);
    MEMBRANE_REQUIRE(again.has_value() && again->keys() == stack.keys());
}

std::vector<std::byte> with_form(std::uint8_t form, std::vector<std::byte> bytes) {
    bytes.insert(bytes.begin(), static_cast<std::byte>(form));
    return bytes;
}

std::vector<std::vector<std::byte>> samples() {
    std::vector<std::vector<std::byte>> all;
    const hasher hash{hash_id::siphash13, {1, 2}};
    for (const any_filter& filter : fuzz::small_filters()) {
        const std::vector<std::byte> file = file_bytes_of(filter);
        all.push_back(with_form(1, file));
        if (auto stack = filter_stack::from_file(file, most_bytes))
            all.push_back(with_form(0, image_chunk(*stack, 0, image_bytes(*stack))));
    }
    for (const bool erasable : {false, true}) {
        filter_stack stack({.role = erasable ? stack_role::erasable : stack_role::membership,
                            .error_rate = 0.01,
                            .expansion = 2,
                            .first_keys = 100});
        auto few = few_numbers::create(few_numbers::spec_of_few(erasable, 1 << 14, 0.01), hash);
        for (std::uint64_t key = 0; key < 9; ++key) static_cast<void>(few->insert(hash(key / 2)));
        const auto bytes = few->image();
        if (stack.append_file(bytes, most_bytes))
            all.push_back(with_form(0, image_chunk(stack, 0, image_bytes(stack))));
    }
    auto sketch = topk_sketch::create({.k = 2, .width = 8, .depth = 2}, hash, most_bytes);
    for (const char* item : {"a", "bb", "a"}) static_cast<void>(sketch->add(item, 2, most_bytes));
    all.push_back(with_form(0, sketch->image()));
    return all;
}

// The checksums of an image: of its header, of the link's file or numbers behind it, of the items.
void repair_image(std::span<std::byte> image) {
    if (topk_sketch::is_image(image)) {
        if (image.size() < topk_sketch::header_bytes) return;
        store_le(image.data() + 64, std::uint64_t{image.size()});
        store_le(image.data() + topk_checksum_at,
                 checksum64(std::span<const std::byte>(image).first(topk_checksum_at)));
        const auto items = load_le<std::uint64_t>(image.data() + 56);
        if (items > image.size() - topk_sketch::header_bytes ||
            image.size() - topk_sketch::header_bytes - items < 8)
            return;
        const std::size_t end = topk_sketch::header_bytes + static_cast<std::size_t>(items);
        store_le(image.data() + end, checksum64(std::span<const std::byte>(image).subspan(
                                         topk_sketch::header_bytes, end - topk_sketch::header_bytes)));
        repair_all(image.subspan(end + 8));
        return;
    }
    if (image.size() < stack_header_bytes + 8) return;
    store_le(image.data() + 72, std::uint64_t{image.size()});
    store_le(image.data() + stack_checksum_at,
             checksum64(std::span<const std::byte>(image).first(stack_checksum_at)));
    const auto link = image.subspan(stack_header_bytes + 8);
    if (load_le<std::uint32_t>(image.data() + 20) == 1)
        store_le(image.data() + stack_header_bytes, std::uint64_t{link.size()});
    if (few_numbers::is_image(link) && link.size() >= few_least_bytes)
        store_le(link.data() + link.size() - 8,
                 checksum64(std::span<const std::byte>(link).first(link.size() - 8)));
    else repair_all(link);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::memory_limit limit(size);
    if (size == 0) return 0;
    const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1,
                                       reinterpret_cast<const std::byte*>(data) + size);
    partial_load load(data[0] % 2 == 0 ? load_form::image : load_form::file);
    // In up to three pieces.
    const std::size_t first = data[0] < 64 ? bytes.size() : bytes.size() * data[0] / 256,
                      second = (bytes.size() - first) / 2;
    std::size_t at = 0;
    for (const std::size_t piece : {first, second, bytes.size() - first - second}) {
        if (const auto taken = load.append(byte_span(bytes).subspan(at, piece), most_bytes); !taken) {
            MEMBRANE_REQUIRE(!describe(taken.error()).empty());
            return 0;
        }
        at += piece;
        if (load.is_complete()) break;
    }
    const auto same = partial_load::copy_of(load);
    MEMBRANE_REQUIRE(same.has_value() && same->is_complete() == load.is_complete());
    if (!load.is_complete()) return 0;
    auto value = load.finish(most_bytes);
    if (value) exercise_value(*value);
    else MEMBRANE_REQUIRE(!describe(value.error()).empty());
    return 0;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    return fuzz::try_samples(samples(), LLVMFuzzerTestOneInput);
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
    static const std::vector<std::vector<std::byte>> all = samples();
    size = fuzz::sample_or_data(all, {data, max_size}, size, few_least_bytes, seed);
    const std::size_t changed = LLVMFuzzerMutate(data, size, max_size);
    if (changed < 2 || seed % 16 == 1) return changed;
    const auto bytes = std::as_writable_bytes(std::span(data + 1, changed - 1));
    if (data[0] % 2 == 0) repair_image(bytes);
    else repair_all(bytes);
    return changed;
}
