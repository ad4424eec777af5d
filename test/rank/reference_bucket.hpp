// A rank-indexed bucket as plainly as it can be said: a list of cells for each chain. It also says which bits a bucket
// with these chains must have: levels in order, the first level first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace membrane::test {

class reference_bucket {
public:
    explicit reference_bucket(std::size_t chains) : chains_(chains) {}

    std::size_t size() const { return size_; }
    const std::vector<std::uint64_t>& chain(std::size_t number) const { return chains_[number]; }
    void insert(std::size_t chain, std::uint64_t cell) {
        chains_[chain].push_back(cell);
        ++size_;
    }
    // The first equal cell; the last one of the chain takes its place.
    bool erase(std::size_t chain, std::uint64_t cell) {
        auto& cells = chains_[chain];
        const auto found = std::find(cells.begin(), cells.end(), cell);
        if (found == cells.end()) return false;
        *found = cells.back();
        cells.pop_back();
        --size_;
        return true;
    }

    struct picture {
        std::vector<std::uint8_t> base, higher;  // 0 or 1 each
        std::vector<std::uint64_t> cells;
    };
    // Into a picture that is used again and again.
    void draw(picture& made) const {
        made.base.clear();
        made.higher.clear();
        made.cells.clear();
        for (const auto& chain : chains_) made.base.push_back(!chain.empty());
        for (std::size_t level = 0; made.cells.size() < size_; ++level)
            for (const auto& chain : chains_)
                if (level < chain.size()) {
                    made.cells.push_back(chain[level]);
                    made.higher.push_back(level + 1 < chain.size());
                }
    }

private:
    std::vector<std::vector<std::uint64_t>> chains_;
    std::size_t size_ = 0;
};

}  // namespace membrane::test
