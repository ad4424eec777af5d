// Tracks the keys with the largest estimates while a count-min sketch is filled: a min-heap of at most `slots` keys and a hash
// index into it; O(log slots) for a heavy key, O(1) for a light one. Invariant: every key whose true count exceeds the least
// tracked estimate is in the heap, because a key is offered after each of its updates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <membrane/hash/process_hash.hpp>
#include <membrane/kind/count_min/top_section.hpp>

namespace membrane {

class heavy_hitters {
public:
    heavy_hitters(std::uint64_t slots, std::uint64_t kept_key_bytes)
        : slots_(static_cast<std::size_t>(slots)),
          kept_key_bytes_(static_cast<std::size_t>(kept_key_bytes)) {}

    void offer(key_hash hash, std::uint64_t estimate, std::string_view key) {
        offer({hash, estimate, key.size(), {}}, key);
    }
    void offer(const counted_key& entry) {
        offer({entry.hash, entry.estimate, entry.key_bytes, {}}, entry.key);
    }

    std::vector<counted_key> sorted() const {
        std::vector<counted_key> all = heap_;
        std::sort(all.begin(), all.end(), is_counted_more);
        return all;
    }

private:
    void offer(counted_key entry, std::string_view key) {
        if (slots_ == 0) return;
        const bool is_full = heap_.size() == slots_;
        if (is_full && entry.estimate <= heap_.front().estimate) return;
        if (const auto found = index_.find(entry.hash); found != index_.end()) {
            heap_[found->second].estimate = std::max(heap_[found->second].estimate, entry.estimate);
            sink(found->second);
            return;
        }
        entry.key.assign(key.substr(0, kept_key_bytes_));
        if (is_full) {
            index_.erase(heap_.front().hash);
            index_[entry.hash] = 0;
            heap_.front() = std::move(entry);
            sink(0);
        } else {
            index_[entry.hash] = heap_.size();
            heap_.push_back(std::move(entry));
            rise(heap_.size() - 1);
        }
    }

    void swap_entries(std::size_t a, std::size_t b) {
        std::swap(heap_[a], heap_[b]);
        index_[heap_[a].hash] = a;
        index_[heap_[b].hash] = b;
    }
    void rise(std::size_t at) {
        while (at != 0 && heap_[at].estimate < heap_[(at - 1) / 2].estimate) {
            swap_entries(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }
    void sink(std::size_t at) {
        for (;;) {
            std::size_t least = at;
            for (std::size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap_.size(); ++child)
                if (heap_[child].estimate < heap_[least].estimate) least = child;
            if (least == at) return;
            swap_entries(at, least);
            at = least;
        }
    }

    std::size_t slots_;
    std::size_t kept_key_bytes_;
    std::vector<counted_key> heap_;
    std::unordered_map<key_hash, std::size_t, process_hash> index_;
};

}  // namespace membrane
