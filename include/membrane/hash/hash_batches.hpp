// Many hashes that lie in memory, in one piece or in pieces of any lengths: what a filter is built from. Borrows; the pieces
// stay where they are as long as it is used.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/hash/key_hash.hpp>

namespace membrane {

class hash_batches {
public:
    template <class Hashes>
    requires std::convertible_to<const Hashes&, std::span<const key_hash>> hash_batches(const Hashes& hashes)
    noexcept : only_(hashes), size_(only_.size()) {}
    explicit hash_batches(std::span<const std::span<const key_hash>> pieces) noexcept : pieces_(pieces) {
        for (const auto& piece : pieces) size_ += piece.size();
    }

    std::size_t size() const noexcept { return size_; }

    // The hashes from number `first` to before number `last`, in order: visit(span) -> whether to go on.
    template <class Visit>
    bool visit_range(std::size_t first, std::size_t last, Visit&& visit) const {
        if (pieces_.empty()) return first == last || visit(only_.subspan(first, last - first));
        std::size_t at = 0;
        for (const auto& piece : pieces_) {
            const std::size_t begin = std::max(first, at), end = std::min(last, at + piece.size());
            if (begin < end && !visit(piece.subspan(begin - at, end - begin))) return false;
            at += piece.size();
            if (at >= last) break;
        }
        return true;
    }
    // One of `parts` equal parts, hash by hash.
    template <class Visit>
    void for_each_in_part(unsigned part, unsigned parts, Visit&& visit) const {
        visit_range(size_ * part / parts, size_ * (part + 1) / parts, [&](std::span<const key_hash> hashes) {
            for (const key_hash hash : hashes) visit(hash);
            return true;
        });
    }

private:
    std::span<const key_hash> only_;
    std::span<const std::span<const key_hash>> pieces_;
    std::size_t size_ = 0;
};

}  // namespace membrane
