// Hashes in memory, to be sorted: dealt by their highest bits when they come, so that each part can be sorted in the cache and
// by any thread, and no second copy of them is ever made. A few are kept as they come.
//
// Parts are lists of pages of equal size out of large blocks: nothing is moved when a part grows, and what sorting frees of
// one part serves the others. Parts in their order, pages in theirs, are all hashes in ascending order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

class hash_pile {
public:
    std::size_t size() const noexcept { return size_; }

    // Throws std::bad_alloc; some may have been added then.
    void add(std::span<const key_hash> hashes);

    // Sorts and drops repetitions, by so many threads. Throws std::bad_alloc; nothing is lost then.
    void sort_unique(unsigned threads);

    // Its memory is kept for more.
    void clear() noexcept;

    // Where the hashes lie, none of the pieces empty; good until the pile is changed.
    std::vector<std::span<const key_hash>> pieces() const;

private:
    static constexpr unsigned part_bits = 11;
    static constexpr std::size_t part_count = std::size_t{1} << part_bits;
    static constexpr std::size_t page_bytes = 4096;
    static constexpr std::size_t page_hashes = page_bytes / sizeof(key_hash);
    static constexpr std::size_t block_bytes = std::size_t{32} << 20;
    static constexpr std::size_t few = std::size_t{1} << 16;

    struct part {
        std::vector<key_hash*> pages;
        std::size_t size = 0;  // not kept up while hashes are dealt: `next_` knows

        std::size_t used_pages() const { return (size + page_hashes - 1) / page_hashes; }
        std::span<key_hash> page(std::size_t number) const {
            return {pages[number], std::min(page_hashes, size - number * page_hashes)};
        }
    };

    key_hash* take_page();
    void deal(std::span<const key_hash> hashes);
    std::size_t dealt_size(std::size_t number) const noexcept;
    // From the sizes of the parts back to where each goes on.
    void resume() noexcept;
    static void sort_part(part& sorted, std::vector<key_hash>& scratch, std::vector<std::uint32_t>& ends);

    std::size_t size_ = 0;
    std::vector<key_hash> few_;  // all of them, while they are few
    std::vector<part> parts_;
    std::vector<key_hash*> next_;  // where the next hash of a part goes; null: to a new page
    std::vector<aligned_buffer> blocks_;
    std::size_t block_used_ = 0;
    std::vector<key_hash*> free_pages_;
};

}  // namespace membrane
