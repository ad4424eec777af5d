// The bytes of a file, mapped read-only (POSIX).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include <membrane/base/result.hpp>

namespace membrane {

// How mapped bytes will be read: from front to back, or single pages in no order.
enum class reading : bool { in_order, scattered };

class mapped_file {
public:
    static result<mapped_file> open(const std::string& path);

    mapped_file(mapped_file&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    mapped_file& operator=(mapped_file&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~mapped_file();

    // Advice to the system: read ahead, or read no page that is not touched.
    void expect(reading how) const noexcept;

    std::span<const std::byte> bytes() const noexcept { return bytes_; }

private:
    explicit mapped_file(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

    std::span<const std::byte> bytes_;
};

}  // namespace membrane
