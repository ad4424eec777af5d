// What stands behind a key of our data type: a chain, or the bytes received so far of one that a client is loading in
// chunks. A half-loaded value answers nothing, but is saved and replicated like any other, so that loading goes on after a
// restart or a failover.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "chain_image.hpp"
#include "received_bytes.hpp"

namespace membrane::redis {

enum class load_form : std::uint8_t { image = 0, file = 1 };  // of a chain, or a .mbr file; saved

class partial_load {
public:
    explicit partial_load(load_form form) : form_(form) {}
    static result<partial_load> copy_of(const partial_load& other);

    load_form form() const noexcept { return form_; }
    byte_span bytes() const noexcept { return bytes_.all(); }
    std::uint64_t memory_bytes() const noexcept { return bytes_.memory_bytes(); }  // beside the object itself
    std::uint64_t total_bytes() const noexcept { return total_bytes_; }            // 0: not known yet
    bool is_complete() const noexcept { return total_bytes_ != 0 && bytes_.size() == total_bytes_; }

    // Takes the bytes that follow those already here. The first must hold the header, which is checked and tells how many
    // there will be; more than `max_bytes` are refused before they are sent.
    result<void> append(byte_span more, std::uint64_t max_bytes);
    // Takes back what the last call appended.
    void drop_last(std::size_t count) noexcept { bytes_.drop_last(count); }
    result<filter_chain> finish(std::uint64_t max_bytes) const;

private:
    load_form form_;
    std::uint64_t total_bytes_ = 0;
    received_bytes bytes_;
};

using stored_value = std::variant<filter_chain, partial_load>;

std::uint64_t memory_bytes(const stored_value& value);
std::uint64_t block_count(const stored_value& value);

}  // namespace membrane::redis
