#include "few_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <membrane/base/endian.hpp>
#include <membrane/base/multiply.hpp>
#include <membrane/hash/xxh3.hpp>
#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>

#include "memory.hpp"

namespace membrane::redis {

namespace {

constexpr std::array<unsigned char, 8> magic{0x89, 'M', 'B', 'N', 0x0d, 0x0a, 0x1a, 0x0a};
constexpr std::uint32_t image_version = 1;
constexpr std::size_t spare_bytes = 8;

namespace at {
constexpr std::size_t version = 8, is_multiset = 12, universe = 16, planned_fpr = 24, hash_id = 32,
                      width = 36, hash_key = 40, count = 56, numbers = 64;
}
constexpr std::size_t checksum_bytes = 8;

unsigned width_of(std::uint64_t universe) noexcept {
    return static_cast<unsigned>((std::bit_width(universe - 1) + 7) / 8);
}

// A hash of a key with this number: filters of numbers use the first word alone.
key_hash hash_of_number(std::uint64_t number, std::uint64_t universe) noexcept {
    __extension__ using wide = unsigned __int128;
    return {static_cast<std::uint64_t>(((wide{number} << 64) + universe - 1) / universe), 0};
}

error bad(const char* what, std::uint64_t found) {
    return make_error(errc::bad_field, what).with_found(found);
}

}  // namespace

std::uint64_t few_numbers::most_keys(std::uint64_t universe) noexcept {
    return most_bytes / width_of(universe);
}

bool few_numbers::is_spec_of_few(const filter_spec& spec) noexcept {
    return spec == spec_of_few(spec[balanced_rank_field::form] == balanced_rank_form::erasable,
                               spec[balanced_rank_field::universe], spec.planned_fpr);
}

filter_spec few_numbers::spec_of_few(bool is_multiset, std::uint64_t universe, double planned_fpr) noexcept {
    filter_spec spec;
    spec.kind = kind_id::balanced_rank;
    spec.planned_fpr = planned_fpr;
    spec[balanced_rank_field::form] =
        is_multiset ? balanced_rank_form::erasable : balanced_rank_form::growable;
    spec[balanced_rank_field::universe] = universe;
    return spec;
}

filter_spec few_numbers::spec() const noexcept { return spec_of_few(is_multiset_, universe_, planned_fpr_); }

result<few_numbers> few_numbers::create(const filter_spec& spec, const hasher& hash) {
    const std::uint64_t universe = spec[balanced_rank_field::universe];
    if (universe < least_universe || universe > most_universe ||
        universe >> std::countr_zero(universe) >= most_universe_mantissa)
        return bad("universe", universe);
    if (!(spec.planned_fpr >= 0 && spec.planned_fpr <= 1))
        return make_error(errc::bad_field, "planned_fpr").with_note("a rate lies between 0 and 1");
    if (hash.id == hash_id::precomputed || !hash_id_from(static_cast<std::uint32_t>(hash.id)))
        return bad("hash", static_cast<std::uint64_t>(hash.id));
    few_numbers made;
    made.hash_ = hash;
    made.universe_ = universe;
    made.planned_fpr_ = spec.planned_fpr;
    made.width_ = static_cast<std::uint8_t>(width_of(universe));
    made.is_multiset_ = spec[balanced_rank_field::form] == balanced_rank_form::erasable;
    return result<few_numbers>(std::move(made));
}

result<few_numbers> few_numbers::copy_of(const few_numbers& other) {
    auto made = create(other.spec(), other.hash_);
    if (!made) return made;
    if (other.count_ == 0) return made;
    const std::size_t bytes = other.size_bytes();
    made->numbers_ = std::make_unique<std::byte[]>(bytes + spare_bytes);
    std::memcpy(made->numbers_.get(), other.numbers_.get(), bytes);
    made->count_ = other.count_;
    made->capacity_ = static_cast<std::uint16_t>(other.count_);
    return made;
}

std::uint64_t few_numbers::promised_keys() const noexcept {
    constexpr double rounding = 1e-12;  // as any_view::promised_keys
    return static_cast<std::uint64_t>(static_cast<double>(universe_) * planned_fpr_ * (1 + rounding));
}

std::uint64_t few_numbers::number_of(key_hash hash) const noexcept {
    return multiply_wide(hash.low, universe_).high;
}

std::uint64_t few_numbers::number_at(std::size_t i) const noexcept {
    return load_le<std::uint64_t>(numbers_.get() + i * width_) & (UINT64_MAX >> (64 - 8 * width_));
}

void few_numbers::put(std::size_t i, std::uint64_t number) noexcept {
    std::array<std::byte, 8> bytes;
    store_le(bytes.data(), number);
    std::memcpy(numbers_.get() + i * width_, bytes.data(), width_);
}

std::size_t few_numbers::position_of(std::uint64_t number) const noexcept {
    std::size_t first = 0, size = count_;
    while (size != 0) {
        const std::size_t half = size / 2;
        if (number_at(first + half) < number) first += size - half;
        size = half;
    }
    return first;
}

std::uint64_t few_numbers::times_of(std::uint64_t number) const noexcept {
    std::uint64_t times = 0;
    for (std::size_t i = position_of(number); i != count_ && number_at(i) == number; ++i) ++times;
    return times;
}

// A quarter more, and at least two: the blocks of allocators are multiples of 16 bytes.
void few_numbers::make_room() {
    const std::size_t most = most_bytes / width_;
    const std::size_t wanted = std::size_t{count_} + std::max<std::size_t>(2, count_ / 4u);
    const std::size_t bytes = (wanted * width_ + spare_bytes + 15) / 16 * 16 - spare_bytes;
    const std::size_t capacity = std::min(most, bytes / width_);
    auto made = std::make_unique<std::byte[]>(capacity * width_ + spare_bytes);
    if (count_ != 0) std::memcpy(made.get(), numbers_.get(), size_bytes());
    numbers_ = std::move(made);
    capacity_ = static_cast<std::uint16_t>(capacity);
}

bool few_numbers::insert(key_hash hash) {
    const std::uint64_t number = number_of(hash);
    const std::size_t position = position_of(number);
    if (!is_multiset_ && position != count_ && number_at(position) == number) return true;
    if (count_ >= most_keys(universe_)) return false;
    if (count_ == capacity_) make_room();
    std::byte* const place = numbers_.get() + position * width_;
    std::memmove(place + width_, place, (count_ - position) * width_);
    put(position, number);
    ++count_;
    return true;
}

bool few_numbers::erase(key_hash hash) noexcept {
    const std::uint64_t number = number_of(hash);
    const std::size_t position = position_of(number);
    if (position == count_ || number_at(position) != number) return false;
    std::byte* const place = numbers_.get() + position * width_;
    std::memmove(place, place + width_, (count_ - position - 1) * width_);
    --count_;
    return true;
}

result<any_filter> few_numbers::as_table(std::uint64_t keys, std::uint64_t max_bytes) const {
    filter_spec layout =
        number_layout_in_block(is_multiset_ ? balanced_rank_form::erasable : balanced_rank_form::growable,
                               universe_, std::max<std::uint64_t>({keys, count_, 1}), &block_bytes);
    if (layout[balanced_rank_field::lines] == 0) return make_error(errc::size_overflow, "lines");
    layout.planned_fpr = planned_fpr_;
    auto made = any_filter::create(layout, hash_, max_bytes);
    if (!made) return made;
    for (std::size_t i = 0; i < count_; ++i)
        if (!made->insert(hash_of_number(number_at(i), universe_))) return made->refusal();
    return made;
}

std::uint64_t few_numbers::image_bytes(std::uint64_t count, unsigned width) noexcept {
    return at::numbers + count * width + checksum_bytes;
}

std::vector<std::byte> few_numbers::image() const {
    std::vector<std::byte> made(static_cast<std::size_t>(image_bytes()));
    std::byte* const bytes = made.data();
    std::memcpy(bytes, magic.data(), magic.size());
    store_le(bytes + at::version, image_version);
    store_le(bytes + at::is_multiset, std::uint32_t{is_multiset_});
    store_le(bytes + at::universe, universe_);
    store_le(bytes + at::planned_fpr, std::bit_cast<std::uint64_t>(planned_fpr_));
    store_le(bytes + at::hash_id, static_cast<std::uint32_t>(hash_.id));
    store_le(bytes + at::width, std::uint32_t{width_});
    store_le(bytes + at::hash_key, hash_.key.low);
    store_le(bytes + at::hash_key + 8, hash_.key.high);
    store_le(bytes + at::count, std::uint64_t{count_});
    if (count_ != 0) std::memcpy(bytes + at::numbers, numbers_.get(), static_cast<std::size_t>(size_bytes()));
    const std::size_t end = made.size() - checksum_bytes;
    store_le(bytes + end, checksum64(std::span(made).first(end)));
    return made;
}

bool few_numbers::is_image(byte_span bytes) noexcept {
    return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

result<few_numbers> few_numbers::open(byte_span image) {
    if (image.size() < image_bytes(0, 0))
        return make_error(errc::truncated, "numbers")
            .with_found(image.size())
            .with_expected(image_bytes(0, 0));
    if (!is_image(image))
        return make_error(errc::not_a_membrane_file, "first bytes are not those of numbers");
    const std::byte* const data = image.data();
    const auto number = [&](std::size_t offset) { return load_le<std::uint64_t>(data + offset); };
    const auto half = [&](std::size_t offset) { return load_le<std::uint32_t>(data + offset); };
    const std::size_t end = image.size() - checksum_bytes;
    if (const auto sum = checksum64(image.first(end)); sum != number(end))
        return make_error(errc::bad_header_checksum, "numbers").with_found(number(end)).with_expected(sum);
    if (half(at::version) != image_version)
        return make_error(errc::unknown_version, "version of numbers")
            .with_found(half(at::version))
            .with_expected(image_version);
    if (half(at::is_multiset) > 1) return bad("is_multiset", half(at::is_multiset));
    const hasher hash{static_cast<hash_id>(half(at::hash_id)),
                      {number(at::hash_key), number(at::hash_key + 8)}};
    auto made = create(spec_of_few(half(at::is_multiset) != 0, number(at::universe),
                                   std::bit_cast<double>(number(at::planned_fpr))),
                       hash);
    if (!made) return made;
    if (half(at::width) != made->width_) return bad("bytes of a number", half(at::width));
    const std::uint64_t count = number(at::count);
    if (count > most_keys(made->universe_)) return bad("count of numbers", count);
    if (image.size() != image_bytes(count, made->width_))
        return make_error(errc::truncated, "numbers")
            .with_found(image.size())
            .with_expected(image_bytes(count, made->width_));
    if (count == 0) return made;
    const auto bytes = static_cast<std::size_t>(count * made->width_);
    made->numbers_ = std::make_unique<std::byte[]>(bytes + spare_bytes);
    std::memcpy(made->numbers_.get(), data + at::numbers, bytes);
    made->count_ = static_cast<std::uint32_t>(count);
    made->capacity_ = static_cast<std::uint16_t>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t here = made->number_at(i);
        if (here >= made->universe_) return make_error(errc::bad_payload, "number").with_found(here);
        if (i == 0) continue;
        const std::uint64_t before = made->number_at(i - 1);
        if (before > here || (before == here && !made->is_multiset_))
            return make_error(errc::bad_payload, "order of numbers").with_found(i);
    }
    return made;
}

}  // namespace membrane::redis
