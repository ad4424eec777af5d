#include "topk_sketch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/format/encode.hpp>
#include <membrane/hash/xxh3.hpp>
#include <membrane/kind/count_min/spec.hpp>

namespace membrane::redis {

namespace {

constexpr std::array<unsigned char, 8> topk_magic{0x89, 'M', 'B', 'T', 0x0d, 0x0a, 0x1a, 0x0a};
constexpr std::uint32_t topk_version = 1;
constexpr std::size_t item_head_bytes = 16, topk_sum_bytes = 8;

namespace topk_at {
constexpr std::size_t version = 8, header_bytes = 12, k = 16, width = 24, depth = 32, decay = 40, items = 48,
                      item_bytes = 56, image_bytes = 64, checksum = 72;
}

}  // namespace

bool topk_options::is_valid() const noexcept {
    return k >= 1 && k <= most_k && width >= 1 && width <= most_width && depth >= 1 && depth <= most_depth &&
           decay > 0 && decay <= 1;
}

filter_spec topk_options::sketch_spec() const noexcept {
    filter_spec spec = initial_spec(kind_id::count_min, count_min_fields);
    spec[count_min_field::rows] = rows::classic;
    spec[count_min_field::width] = std::max(width, 16 * k);
    spec[count_min_field::depth] = depth;
    spec[count_min_field::conservative] = 1;
    return spec;
}

result<topk_sketch> topk_sketch::create(const topk_options& options, const hasher& hash,
                                        std::uint64_t max_bytes) {
    topk_sketch made;
    if (auto done = made.make(options, hash, max_bytes); !done) return done.error();
    return result<topk_sketch>(std::move(made));
}

result<void> topk_sketch::make(const topk_options& options, const hasher& hash, std::uint64_t max_bytes) {
    const memory_meter meter(block_bytes_);
    if (!options.is_valid()) return make_error(errc::bad_field, "k, width, depth or decay");
    auto sketch = any_filter::create(options.sketch_spec(), hash, max_bytes);
    if (!sketch) return sketch.error();
    options_ = options;
    sketch_ = std::make_unique<any_filter>(std::move(*sketch));
    return {};
}

result<topk_sketch> topk_sketch::copy_of(const topk_sketch& other) {
    return open(other.image(), no_byte_limit);
}

std::size_t* topk_sketch::place_of(key_hash hash) {
    const auto found = places_.find(hash);
    return found == places_.end() ? nullptr : &found->second;
}

// At the first step an item also changes places with a child that is as heavy: so of equally frequent items, RedisBloom's are
// dropped.
void topk_sketch::sink(std::size_t place) {
    bool is_first = true;
    for (std::size_t child = 2 * place + 1; child < heap_.size(); place = child, child = 2 * place + 1) {
        if (child + 1 < heap_.size() && heap_[child].content.count > heap_[child + 1].content.count) ++child;
        const std::uint64_t own = heap_[place].content.count, below = heap_[child].content.count;
        if (below > own || (below == own && !std::exchange(is_first, false))) return;
        is_first = false;
        std::swap(heap_[place], heap_[child]);
        for (const std::size_t moved : {place, child})
            if (heap_[moved].content.count != 0) places_[heap_[moved].hash] = moved;
    }
}

result<std::optional<std::string>> topk_sketch::add(std::string_view text, std::uint64_t times,
                                                    std::uint64_t max_bytes) {
    const memory_meter meter(block_bytes_);
    const key_hash hash = this->hash()(text);
    const bool is_new = place_of(hash) == nullptr;
    if (is_new && text.size() > max_bytes - std::min(content_bytes(), max_bytes))
        return make_error(errc::too_large, "items").with_found(text.size());
    // All memory is taken before anything changes.
    std::string copied(is_new ? text : std::string_view());
    if (heap_.empty()) heap_.resize(static_cast<std::size_t>(options_.k));
    if (is_new) places_.reserve(places_.size() + 1);
    if (auto counted = sketch_->add(hash, times); !counted) return counted.error();
    const std::uint64_t count = *sketch_->estimate(hash);
    std::optional<std::string> dropped;
    if (!is_new) {
        const std::size_t place = *place_of(hash);
        heap_[place].content.count = std::max(heap_[place].content.count, count);
        sink(place);
        return dropped;
    }
    listed_item& least = heap_.front();
    if (count == 0 || count < least.content.count) return dropped;
    if (least.content.count != 0) {
        places_.erase(least.hash);
        text_bytes_ -= least.content.text.size();
        dropped = std::move(least.content.text);
    }
    text_bytes_ += copied.size();
    least = {hash, {count, std::move(copied)}};
    places_[hash] = 0;
    sink(0);
    return dropped;
}

bool topk_sketch::is_listed(std::string_view text) const { return places_.contains(hash()(text)); }

std::uint64_t topk_sketch::count_of(std::string_view text) const {
    const key_hash hash = this->hash()(text);
    const auto found = places_.find(hash);
    return found != places_.end() ? heap_[found->second].content.count : *sketch_->estimate(hash);
}

std::vector<const topk_sketch::item*> topk_sketch::sorted() const {
    std::vector<const item*> all;
    for (const listed_item& each : heap_)
        if (each.content.count != 0) all.push_back(&each.content);
    std::stable_sort(all.begin(), all.end(),
                     [](const item* a, const item* b) { return a->count > b->count; });
    return all;
}

std::vector<std::byte> topk_sketch::image() const {
    const file_view sketch = sketch_->as_file();
    const std::vector<std::byte> sketch_header = encode_header(sketch, payload_checksum(sketch.payload));
    const std::uint64_t item_bytes = heap_.size() * item_head_bytes + text_bytes_;
    const std::uint64_t total =
        header_bytes + item_bytes + topk_sum_bytes + sketch_header.size() + sketch.payload.size();
    std::vector<std::byte> made(header_bytes);
    made.reserve(static_cast<std::size_t>(total));
    std::byte* const bytes = made.data();
    std::memcpy(bytes, topk_magic.data(), topk_magic.size());
    store_le(bytes + topk_at::version, topk_version);
    store_le(bytes + topk_at::header_bytes, static_cast<std::uint32_t>(header_bytes));
    store_le(bytes + topk_at::k, options_.k);
    store_le(bytes + topk_at::width, options_.width);
    store_le(bytes + topk_at::depth, options_.depth);
    store_le(bytes + topk_at::decay, std::bit_cast<std::uint64_t>(options_.decay));
    store_le(bytes + topk_at::items, std::uint64_t{heap_.size()});
    store_le(bytes + topk_at::item_bytes, item_bytes);
    store_le(bytes + topk_at::image_bytes, total);
    store_le(bytes + topk_at::checksum, checksum64(std::span(made).first(topk_at::checksum)));
    const auto append = [&](byte_span more) { made.insert(made.end(), more.begin(), more.end()); };
    const auto append_number = [&](std::uint64_t number) {
        std::array<std::byte, 8> word;
        store_le(word.data(), number);
        append(word);
    };
    for (const listed_item& each : heap_) {
        append_number(each.content.count);
        append_number(each.content.text.size());
        append(std::as_bytes(std::span(each.content.text)));
    }
    append_number(checksum64(std::span(made).subspan(header_bytes)));
    append(sketch_header);
    append(sketch.payload);
    return made;
}

bool topk_sketch::is_image(byte_span bytes) noexcept {
    return bytes.size() >= topk_magic.size() &&
           std::memcmp(bytes.data(), topk_magic.data(), topk_magic.size()) == 0;
}

result<std::uint64_t> topk_sketch::announced_bytes(byte_span start) {
    if (start.size() < header_bytes)
        return make_error(errc::truncated, "TOPK header")
            .with_found(start.size())
            .with_expected(header_bytes);
    const auto number = [&](std::size_t offset) { return load_le<std::uint64_t>(start.data() + offset); };
    const auto half = [&](std::size_t offset) { return load_le<std::uint32_t>(start.data() + offset); };
    if (!is_image(start)) return make_error(errc::not_a_membrane_file, "first bytes are not those of TOPK");
    if (const auto sum = checksum64(start.first(topk_at::checksum)); sum != number(topk_at::checksum))
        return make_error(errc::bad_header_checksum, "TOPK header")
            .with_found(number(topk_at::checksum))
            .with_expected(sum);
    if (half(topk_at::version) != topk_version)
        return make_error(errc::unknown_version, "TOPK version")
            .with_found(half(topk_at::version))
            .with_expected(topk_version);
    const topk_options options{number(topk_at::k), number(topk_at::width), number(topk_at::depth),
                               std::bit_cast<double>(number(topk_at::decay))};
    const std::uint64_t items = number(topk_at::items);
    if (half(topk_at::header_bytes) != header_bytes || !options.is_valid() ||
        (items != 0 && items != options.k))
        return make_error(errc::bad_field, "TOPK header");
    const auto before_sketch = checked_add(number(topk_at::item_bytes), header_bytes + topk_sum_bytes);
    if (!before_sketch || *before_sketch > number(topk_at::image_bytes) ||
        items > number(topk_at::item_bytes) / item_head_bytes)
        return make_error(errc::bad_field, "TOPK image bytes").with_found(number(topk_at::image_bytes));
    return number(topk_at::image_bytes);
}

result<topk_sketch> topk_sketch::open(byte_span image, std::uint64_t max_bytes) {
    topk_sketch made;
    if (auto done = made.read(image, max_bytes); !done) return done.error();
    return result<topk_sketch>(std::move(made));
}

result<void> topk_sketch::read(byte_span image, std::uint64_t max_bytes) {
    const memory_meter meter(block_bytes_);
    const auto total = announced_bytes(image);
    if (!total) return total.error();
    if (*total != image.size())
        return make_error(errc::truncated, "TOPK bytes").with_found(image.size()).with_expected(*total);
    const auto number = [&](std::size_t offset) { return load_le<std::uint64_t>(image.data() + offset); };
    options_ = {number(topk_at::k), number(topk_at::width), number(topk_at::depth),
                std::bit_cast<double>(number(topk_at::decay))};
    byte_span items = image.subspan(header_bytes, static_cast<std::size_t>(number(topk_at::item_bytes)));
    const std::size_t sum_at = header_bytes + items.size();
    if (checksum64(items) != number(sum_at)) return make_error(errc::bad_payload_checksum, "TOPK items");
    auto sketch = any_filter::open_copy(image.subspan(sum_at + topk_sum_bytes), max_bytes);
    if (!sketch) return sketch.error();
    const filter_spec spec = options_.sketch_spec();
    if (sketch->spec().kind != spec.kind || sketch->spec().fields != spec.fields ||
        sketch->hash().id == hash_id::precomputed)
        return make_error(errc::bad_field, "TOPK sketch");
    sketch_ = std::make_unique<any_filter>(std::move(*sketch));
    const std::uint64_t count = number(topk_at::items);
    heap_.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        if (items.size() < item_head_bytes) return make_error(errc::truncated, "TOPK items");
        item read{load_le<std::uint64_t>(items.data()), {}};
        const auto length = load_le<std::uint64_t>(items.data() + 8);
        items = items.subspan(item_head_bytes);
        if (length > items.size() || (read.count == 0 && length != 0))
            return make_error(errc::bad_field, "length of an item").with_found(length);
        read.text.assign(reinterpret_cast<const char*>(items.data()), static_cast<std::size_t>(length));
        items = items.subspan(static_cast<std::size_t>(length));
        text_bytes_ += length;
        const std::size_t place = heap_.size();
        if (place != 0 && heap_[(place - 1) / 2].content.count > read.count)
            return make_error(errc::bad_payload, "order of items").with_found(i);
        const key_hash hash = read.count == 0 ? key_hash{} : this->hash()(read.text);
        if (read.count != 0 && !places_.emplace(hash, place).second)
            return make_error(errc::bad_payload, "an item is there twice").with_found(i);
        heap_.push_back({hash, std::move(read)});
    }
    if (!items.empty()) return make_error(errc::trailing_bytes, "TOPK items").with_found(items.size());
    return {};
}

}  // namespace membrane::redis
