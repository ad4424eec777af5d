// A filter beside an exact multiset of what is in it: applies the same operations to both and tells when they part.
// One 32-bit word is one operation, so that a sequence can be made, shortened and replayed as plain numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <unordered_set>
#include <vector>

#include "support/filters.hpp"

namespace membrane::test {

class mirror {
public:
    static constexpr std::uint64_t universe =
        512;  // few keys: repetitions, erasures and collisions are common

    explicit mirror(const filter_spec& spec)
        : able_(capabilities_of(spec)),
          planned_(spec.planned_keys),
          filter_(make(spec)),
          other_(make(spec)),
          hashes_(hashes_of(numbered_hasher(1), 0, universe)) {}

    // What went wrong, or nothing.
    std::string apply(std::uint32_t word) {
        const auto key = static_cast<std::uint32_t>((word >> 4) % universe);
        const bool is_rare = (word >> 13) % 32 == 0;  // what changes everything at once
        switch (word % 16) {
            case 6: insert_if_absent(key); break;
            case 7:
            case 8:
            case 9: erase(key); break;
            case 10: break;
            case 11:
                if (other_.insert(hashes_[key])) other_keys_.insert(key);
                else check_refusal(other_keys_.size());
                break;
            case 12:
                if (is_rare) merge();
                break;
            case 13:
                if (is_rare && (word >> 18) % 8 == 0) fold();
                break;
            case 14:
                if (is_rare && (word >> 18) % 8 == 0) clear();
                break;
            case 15:
                if (is_rare) reopen();
                break;
            default:
                if (filter_.insert(hashes_[key])) keys_.insert(key);
                else check_refusal(keys_.size());
        }
        check_key(key);
        check_key((key * 7 + 1) % universe);
        if (++steps_ % 64 == 0 || is_rare) check_all();
        return problem_;
    }

    std::string check_all() {
        for (std::uint32_t key = 0; key < universe; ++key) check_key(key);
        if (filter_.keys() != keys_.size()) fail("keys()", filter_.keys(), keys_.size());
        return problem_;
    }

private:
    void insert_if_absent(std::uint32_t key) {
        const auto is_stored = filter_.try_insert_if_absent(hashes_[key]);
        if (!is_stored) return check_refusal(keys_.size());
        if (!*is_stored) return;
        if (keys_.contains(key)) fail("inserted again although present", key, 0);
        keys_.insert(key);
    }

    // Only a kind that can be full may refuse, and only when it holds what it was planned for.
    void check_refusal(std::size_t held) {
        if (!able_.can_be_full || held < planned_) fail("refused", held, planned_);
    }

    void erase(std::uint32_t key) {
        if (!able_.erase) return;
        const auto found = keys_.find(key);
        if (found != keys_.end()) {
            if (!value_of(filter_.erase(hashes_[key]))) fail("erase of a present key", key, 1);
            keys_.erase(found);
        } else if (!filter_.may_contain(hashes_[key])) {
            if (value_of(filter_.erase(hashes_[key]))) fail("erase of an absent key", key, 0);
        }
    }

    void merge() {
        if (!able_.merge) return;
        const auto merged = filter_.merge(other_);
        if (merged) keys_.insert(other_keys_.begin(), other_keys_.end());
        else if (merged.error().code == errc::full) check_refusal(keys_.size() + other_keys_.size() - 1);
        else fail("merge", keys_.size(), other_keys_.size());
        other_.clear();
        other_keys_.clear();
    }

    void fold() {
        if (!able_.fold || !filter_.fold(1)) return;
        expect_done(other_.fold(1));
        // Later folds would end at one word; start again at full size now and then.
        if (filter_.size_bytes() <= 64) reset();
    }

    void reset() {
        filter_spec spec = filter_.spec();
        spec[find_entry(spec.kind)->ops_for(spec).folds->field] = 0;
        if (find_entry(spec.kind)->rules.payload_bytes(spec).value_or(UINT64_MAX) > 1 << 16) return;
        filter_ = make(spec);
        other_ = make(spec);
        keys_.clear();
        other_keys_.clear();
    }

    void clear() {
        filter_.clear();
        keys_.clear();
    }

    void reopen() {
        const auto file = file_of(filter_);
        any_filter opened = value_of(any_filter::open_copy(file));
        if (file_of(opened) != file) fail("file differs after reopening", 0, 0);
        filter_ = std::move(opened);
    }

    void check_key(std::uint32_t key) {
        const std::uint64_t truth = keys_.count(key);
        if (truth == 0) return;
        if (!filter_.may_contain(hashes_[key])) fail("false negative", key, truth);
        if (!able_.count) return;
        const std::uint64_t estimate = value_of(filter_.estimate(hashes_[key]));
        if (estimate < std::min(truth, filter_.largest_estimate()))
            fail("estimate below the truth", estimate, truth);
    }

    void fail(const char* what, std::uint64_t found, std::uint64_t wanted) {
        std::ostringstream text;
        text << what << " (found " << found << ", wanted " << wanted << ") at step " << steps_;
        problem_ = text.str();
    }

    capabilities able_;
    std::uint64_t planned_;
    any_filter filter_, other_;
    std::unordered_multiset<std::uint32_t> keys_, other_keys_;
    std::vector<key_hash> hashes_;
    std::uint64_t steps_ = 0;
    std::string problem_;
};

}  // namespace membrane::test
