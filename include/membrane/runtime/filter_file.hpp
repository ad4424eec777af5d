// Filters on disk (POSIX). Opening maps the file and answers from it without a copy. Saving writes a new file beside
// the old one, syncs it, renames it over the old one and syncs the directory: a crash at any moment leaves the old
// file or the new one, never a mix. A writer holds a lock, so that two who add keys to one file both succeed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <membrane/runtime/any_filter.hpp>

namespace membrane {

// How mapped bytes will be read: from front to back, or a page here and a page there.
enum class reading : bool { in_order, scattered };

// The bytes of a file, mapped read-only.
class mapped_file {
public:
    static result<mapped_file> open(const std::string& path);

    // A hint only: the system then reads ahead, or reads no page that is not asked for.
    void expect(reading how) const noexcept;

    std::span<const std::byte> bytes() const noexcept { return {data_.get(), data_.get_deleter().size}; }

private:
    struct unmap {
        std::size_t size;
        void operator()(const std::byte* data) const noexcept;
    };
    mapped_file() : data_(nullptr, unmap{0}) {}

    std::unique_ptr<const std::byte, unmap> data_;
};

// A filter answered from its mapped file.
class mapped_filter {
public:
    static result<mapped_filter> open(const std::string& path, checksum payload_check = checksum::verify);

    const any_view& view() const noexcept { return view_; }
    const any_view* operator->() const noexcept { return &view_; }

private:
    mapped_filter(mapped_file file, const any_view& view) : file_(std::move(file)), view_(view) {}

    mapped_file file_;
    any_view view_;
};

enum class existing : bool { keep, replace };

// io_error carries errno; already_exists if the file is there and is to be kept.
result<void> save(const any_view& filter, const std::string& path, existing what_is_there);
// The same for bytes that are not a filter file, such as a packed filter.
result<void> save_bytes(std::span<const std::byte> bytes, const std::string& path, existing what_is_there);

// Holds the right to replace a file. Locks the file itself and waits for another holder; if the file was replaced
// while waiting, locks the new one.
class file_lock {
public:
    static result<file_lock> acquire(const std::string& path);

    file_lock(file_lock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    file_lock& operator=(file_lock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~file_lock();

private:
    explicit file_lock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_;
};

}  // namespace membrane
