// A file descriptor that is closed by its destructor, and errno as an error value.
#pragma once

#include <cerrno>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <membrane/base/result.hpp>

namespace membrane {

class descriptor {
public:
    explicit descriptor(int number) noexcept : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() {
        if (number_ >= 0) ::close(number_);
    }

    bool is_open() const noexcept { return number_ >= 0; }
    int number() const noexcept { return number_; }
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_;
};

inline error system_error(std::string_view what) {
    return make_error(errc::io_error, what).with_found(static_cast<std::uint64_t>(errno));
}

}  // namespace membrane
