// Hashes in memory, to be sorted. `add` distributes them over parts by their highest bits, so that each part can be sorted in
// the cache, by any thread, and no second copy of all hashes is made. Up to `few` hashes stay in one array instead.
//
// A part is a list of pages of equal size, taken out of large blocks: nothing is moved when a part grows, and pages that
// sorting frees in one part are used by others. After sorting, parts in order and pages in order are ascending.
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

    // Throws std::bad_alloc; some of the hashes may have been added by then.
    void add(std::span<const key_hash> hashes);

    // Sorts and drops duplicates, with this many threads. Throws std::bad_alloc; no hash is lost then.
    void sort_unique(unsigned threads);

    // Keeps the memory for more hashes.
    void clear() noexcept;

    // The hashes, in non-empty pieces; valid until the pile is changed.
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
        std::size_t size = 0;  // only valid while sorting; during `add`, `next_` tells the size

        std::size_t used_pages() const { return (size + page_hashes - 1) / page_hashes; }
        std::span<key_hash> page(std::size_t number) const {
            return {pages[number], std::min(page_hashes, size - number * page_hashes)};
        }
    };

    key_hash* take_page();
    void deal(std::span<const key_hash> hashes);
    std::size_t dealt_size(std::size_t number) const noexcept;
    // Returns unused pages and sets `next_` from the sizes of the parts.
    void resume() noexcept;
    static void sort_part(part& sorted, std::vector<key_hash>& scratch, std::vector<std::uint32_t>& ends);

    std::size_t size_ = 0;
    std::vector<key_hash> few_;  // all hashes, until there are more than `few`
    std::vector<part> parts_;
    std::vector<key_hash*> next_;  // place of the next hash of each part; null: on a new page
    std::vector<aligned_buffer> blocks_;
    std::size_t block_used_ = 0;
    std::vector<key_hash*> free_pages_;
};

}  // namespace membrane
