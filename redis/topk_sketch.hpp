// The most frequent items of a stream, the value of TOPK.*: a count-min sketch with conservative update, and a heap of the k items that it
// counted most, with their text. This file does not use the server.
//
//   image:  magic 8 | version 4 | header bytes 4 | k 8 | width 8 | depth 8 | decay 8 | items 8 | bytes of the items 8 | image bytes 8
//           | checksum of the header 8 | items in the order of the heap: count 8, length 8, text | their checksum 8 | the .mbr file
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <membrane/hash/process_hash.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "few_numbers.hpp"
#include "memory.hpp"

namespace membrane::redis {

// As the user gave them. The sketch never forgets, so that `decay` has no effect, and its rows are not shorter than 16 k.
struct topk_options {
    std::uint64_t k = 0;
    std::uint64_t width = 8;
    std::uint64_t depth = 7;
    double decay = 0.9;

    static constexpr std::uint64_t most_k = std::uint64_t{1} << 20, most_width = std::uint64_t{1} << 32,
                                   most_depth = 256;
    bool is_valid() const noexcept;
    filter_spec sketch_spec() const noexcept;
};

class topk_sketch {
public:
    struct item {
        std::uint64_t count = 0;
        std::string text;
    };

    static result<topk_sketch> create(const topk_options& options, const hasher& hash,
                                      std::uint64_t max_bytes);
    static result<topk_sketch> copy_of(const topk_sketch& other);
    topk_sketch(topk_sketch&&) noexcept = default;
    topk_sketch& operator=(topk_sketch&&) noexcept = default;

    const topk_options& options() const noexcept { return options_; }
    const hasher& hash() const noexcept { return sketch_->hash(); }
    // Of sketch and texts.
    std::uint64_t content_bytes() const noexcept { return sketch_->size_bytes() + text_bytes_; }
    // As the allocator counts it, without this object.
    std::uint64_t memory_bytes() const noexcept { return block_bytes_; }

    // The item that left the list because this one came in. Error: a counter would overflow, or the texts would have more than
    // max_bytes; then nothing has changed.
    result<std::optional<std::string>> add(std::string_view text, std::uint64_t times,
                                           std::uint64_t max_bytes);
    bool is_listed(std::string_view text) const;
    // Never too low.
    std::uint64_t count_of(std::string_view text) const;
    // The most frequent first; equally frequent ones in the order of the heap.
    std::vector<const item*> sorted() const;

    std::vector<std::byte> image() const;
    static bool is_image(byte_span bytes) noexcept;
    // The size of the whole image, from its header, which is checked.
    static result<std::uint64_t> announced_bytes(byte_span start);
    static result<topk_sketch> open(byte_span image, std::uint64_t max_bytes);

    static constexpr std::size_t header_bytes = 80;

private:
    topk_sketch() = default;

    result<void> make(const topk_options& options, const hasher& hash, std::uint64_t max_bytes);
    result<void> read(byte_span image, std::uint64_t max_bytes);
    std::size_t* place_of(key_hash hash);
    // Restores the order after the count at this place has grown.
    void sink(std::size_t place);

    struct listed_item {
        key_hash hash;
        item content;
    };

    topk_options options_;
    std::unique_ptr<any_filter>
        sketch_;                     // not part of this object: all values of the server would be as large
    std::vector<listed_item> heap_;  // the least count first; no child counts less than its parent
    std::unordered_map<key_hash, std::size_t, process_hash> places_;
    std::uint64_t text_bytes_ = 0, block_bytes_ = 0;
};

}  // namespace membrane::redis
