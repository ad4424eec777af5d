// A value or an error, with the member names of C++23's std::expected. value() of an error is a programming error: it is
// asserted in debug builds.
#pragma once

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

#include <membrane/base/error.hpp>

namespace membrane {

template <class T>
class [[nodiscard]] result {
public:
    result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    result(membrane::error problem) : state_(std::in_place_index<1>, problem) {}

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    T& value() & {
        assert(has_value());
        return *std::get_if<0>(&state_);
    }
    const T& value() const& {
        assert(has_value());
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        assert(has_value());
        return std::move(*std::get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const membrane::error& error() const {
        assert(!has_value());
        return *std::get_if<1>(&state_);
    }

private:
    std::variant<T, membrane::error> state_;
};

template <>
class [[nodiscard]] result<void> {
public:
    result() = default;
    result(membrane::error problem) : problem_(problem) {}

    bool has_value() const noexcept { return !problem_; }
    explicit operator bool() const noexcept { return has_value(); }
    const membrane::error& error() const {
        assert(problem_);
        return *problem_;
    }

private:
    std::optional<membrane::error> problem_;
};

}  // namespace membrane
