// Keys in contiguous memory, with their views and hashes: everything that a timed loop reads is prepared before the clock starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <membrane/hash/hasher.hpp>

namespace membrane::timing {

// Integers are stored as their eight bytes and as integers.
enum class key_type : bool { text, integer };

class key_set {
public:
    explicit key_set(key_type type = key_type::text) : type_(type) {}

    void clear() {
        bytes_.clear();
        ends_.clear();
    }
    void add(std::string_view key) {
        bytes_.insert(bytes_.end(), key.begin(), key.end());
        ends_.push_back(bytes_.size());
    }
    // Call after the last key was added: views into growing memory would dangle.
    void prepare(const hasher& hash) {
        texts_.clear();
        integers_.clear();
        hashes_.clear();
        for (std::size_t i = 0; i < ends_.size(); ++i) {
            const std::string_view text = key(i);
            texts_.push_back(text);
            if (type_ == key_type::integer) {
                std::uint64_t number = 0;
                std::memcpy(&number, text.data(), sizeof number);
                integers_.push_back(number);
                hashes_.push_back(hash(number));
            } else hashes_.push_back(hash(text));
        }
    }

    std::size_t size() const { return ends_.size(); }
    std::size_t size_bytes() const { return bytes_.size(); }
    key_type type() const { return type_; }
    std::string_view key(std::size_t i) const {
        const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
        return {bytes_.data() + begin, ends_[i] - begin};
    }
    std::span<const std::string_view> texts() const { return texts_; }
    std::span<const std::uint64_t> integers() const { return integers_; }
    std::span<const key_hash> hashes() const { return hashes_; }

private:
    key_type type_;
    std::vector<char> bytes_;
    std::vector<std::size_t> ends_;
    std::vector<std::string_view> texts_;
    std::vector<std::uint64_t> integers_;
    std::vector<key_hash> hashes_;
};

}  // namespace membrane::timing
