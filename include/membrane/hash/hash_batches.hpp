// The hashes that a filter is built from, as one span or as several spans of any lengths. Borrows: the spans must stay valid.
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

    // The hashes number `first` .. `last` - 1 in order: visit(span) returns whether to continue.
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
    // The hashes of part `part` out of `parts` equal parts, one by one.
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
