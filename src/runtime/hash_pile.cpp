#include "hash_pile.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <new>
#include <utility>

#include <membrane/base/threads.hpp>

namespace membrane {

namespace {

// Sorts hashes that agree in their first `skipped` bits into `to`, which has the same size: one counting pass by the next
// bits, then insertion sort among the few that share those bits.
void sort_by_counting(std::span<const key_hash> from, key_hash* to, unsigned skipped,
                      std::vector<std::uint32_t>& ends) {
    constexpr std::ptrdiff_t worth_a_sort = 32;
    const auto digit_bits =
        static_cast<unsigned>(std::clamp<std::size_t>(std::bit_width(from.size()), 2, 22)) - 1;
    const unsigned shift = 64 - digit_bits;
    const auto digit = [&](const key_hash& hash) { return hash.low << skipped >> shift; };
    ends.assign(std::size_t{1} << digit_bits, 0);
    for (const key_hash& hash : from) ++ends[digit(hash)];
    std::uint32_t sum = 0;
    for (std::uint32_t& end : ends) sum += std::exchange(end, sum);
    for (const key_hash& hash : from) to[ends[digit(hash)]++] = hash;
    key_hash* first = to;
    for (const std::uint32_t end : ends) {
        key_hash* const last = to + end;
        if (last - first > worth_a_sort) {
            std::sort(first, last);
        } else {
            for (key_hash* at = first; at < last; ++at) {
                const key_hash moved = *at;
                key_hash* place = at;
                for (; place != first && moved < place[-1]; --place) *place = place[-1];
                *place = moved;
            }
        }
        first = last;
    }
}

}  // namespace

key_hash* hash_pile::take_page() {
    if (!free_pages_.empty()) {
        key_hash* const page = free_pages_.back();
        free_pages_.pop_back();
        return page;
    }
    if (blocks_.empty() || block_used_ == block_bytes) {
        free_pages_.reserve((blocks_.size() + 1) * (block_bytes / page_bytes));
        auto block = aligned_buffer::zeroed(block_bytes + page_bytes);
        if (!block) throw std::bad_alloc();
        blocks_.push_back(std::move(*block));
        block_used_ = 0;
    }
    std::byte* const begin = blocks_.back().data();
    const std::size_t ahead =
        (page_bytes - reinterpret_cast<std::uintptr_t>(begin) % page_bytes) % page_bytes;
    auto* const page = reinterpret_cast<key_hash*>(begin + ahead + block_used_);
    block_used_ += page_bytes;
    return page;
}

void hash_pile::add(std::span<const key_hash> hashes) {
    if (parts_.empty()) {
        if (few_.size() + hashes.size() <= few) {
            few_.insert(few_.end(), hashes.begin(), hashes.end());
            size_ += hashes.size();
            return;
        }
        parts_.resize(part_count);
        next_.assign(part_count, nullptr);
        size_ = 0;
        deal(few_);
        few_ = {};
    }
    deal(hashes);
}

void hash_pile::deal(std::span<const key_hash> hashes) {
    for (const key_hash& hash : hashes) {
        const auto number = static_cast<std::size_t>(hash.low >> (64 - part_bits));
        key_hash*& next = next_[number];
        if (next == nullptr) {
            part& full = parts_[number];
            full.pages.push_back(nullptr);
            try {
                next = full.pages.back() = take_page();
            } catch (...) {
                full.pages.pop_back();
                throw;
            }
        }
        *next++ = hash;
        ++size_;
        if (reinterpret_cast<std::uintptr_t>(next) % page_bytes == 0) next = nullptr;
    }
}

std::size_t hash_pile::dealt_size(std::size_t number) const noexcept {
    const part& asked = parts_[number];
    if (next_[number] == nullptr) return asked.pages.size() * page_hashes;
    return (asked.pages.size() - 1) * page_hashes +
           static_cast<std::size_t>(next_[number] - asked.pages.back());
}

void hash_pile::resume() noexcept {
    size_ = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        part& each = parts_[i];
        // Does not throw: take_page has reserved room for every page.
        for (; each.pages.size() > each.used_pages(); each.pages.pop_back())
            free_pages_.push_back(each.pages.back());
        next_[i] = each.size % page_hashes == 0 ? nullptr : each.pages.back() + each.size % page_hashes;
        size_ += each.size;
    }
}

void hash_pile::sort_part(part& sorted, std::vector<key_hash>& scratch, std::vector<std::uint32_t>& ends) {
    const std::size_t size = sorted.size;
    scratch.resize(std::max(scratch.size(), 2 * size));
    key_hash* const gathered = scratch.data();
    key_hash* const first = gathered + size;
    key_hash* at = gathered;
    for (std::size_t i = 0; i < sorted.used_pages(); ++i)
        at = std::copy(sorted.page(i).begin(), sorted.page(i).end(), at);
    if (size <= UINT32_MAX) sort_by_counting({gathered, size}, first, part_bits, ends);
    else std::sort(first, std::copy_n(gathered, size, first));
    sorted.size = static_cast<std::size_t>(std::unique(first, first + size) - first);
    for (std::size_t i = 0; i < sorted.used_pages(); ++i)
        std::copy_n(first + i * page_hashes, sorted.page(i).size(), sorted.pages[i]);
}

void hash_pile::sort_unique(unsigned threads) {
    if (parts_.empty()) {
        std::sort(few_.begin(), few_.end());
        few_.erase(std::unique(few_.begin(), few_.end()), few_.end());
        size_ = few_.size();
        return;
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].size = dealt_size(i);
    std::atomic<std::size_t> next{0};
    try {
        run_threads(threads, [&](unsigned) {
            std::vector<key_hash> scratch;
            std::vector<std::uint32_t> ends;
            for (std::size_t i = next++; i < parts_.size(); i = next++) sort_part(parts_[i], scratch, ends);
        });
    } catch (...) {
        resume();
        throw;
    }
    resume();
}

void hash_pile::clear() noexcept {
    few_.clear();
    for (part& each : parts_) each.size = 0;
    resume();
}

std::vector<std::span<const key_hash>> hash_pile::pieces() const {
    std::vector<std::span<const key_hash>> all;
    if (!few_.empty()) all.emplace_back(few_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        std::size_t left = dealt_size(i);
        for (const key_hash* const page : parts_[i].pages) {
            all.emplace_back(page, std::min(page_hashes, left));
            left -= all.back().size();
        }
    }
    return all;
}

}  // namespace membrane
