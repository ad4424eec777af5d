// What every function of the C interface shares: the filter behind a handle, and the way from errors to statuses. No exception leaves
// a function: `guarded` turns it into a status.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <membrane/membrane.h>
#include <membrane/filter/filter.hpp>
#include <membrane/kind/count_min/heavy_hitters.hpp>
#include <membrane/runtime/mapped_filter.hpp>

namespace membrane::c {

// The most counted keys of a sketch while it changes. Its file has a list of them, which is written when the bytes are asked for.
class most_counted {
public:
    explicit most_counted(const any_view& sketch);

    void offer(const key_hash& hash, std::uint64_t estimate, std::string_view key) {
        keys_.offer(hash, estimate, key);
        is_written_ = false;
    }
    std::vector<counted_key> sorted() const { return keys_.sorted(); }
    // From const functions of the interface, which several threads may call at once.
    void write_to(any_filter& sketch);

private:
    heavy_hitters keys_;
    std::mutex writing_;
    bool is_written_ = true;
};

}  // namespace membrane::c

struct membrane_filter {
    explicit membrane_filter(membrane::filter&& made);
    membrane_filter(membrane::mapped_filter&& mapped, std::string path);
    membrane_filter(const membrane_filter&) = delete;
    membrane_filter& operator=(const membrane_filter&) = delete;

    // With the list of the most counted keys as it is now.
    const membrane::any_view& complete_view() const;

    std::variant<membrane::filter, membrane::mapped_filter> held;
    const membrane::any_view* view = nullptr;
    membrane::any_filter* own = nullptr;  // nullptr: the filter is a mapped file
    std::unique_ptr<membrane::c::most_counted> top{};
    std::string path{};  // of the mapped file
};

namespace membrane::c {

membrane_status fail(membrane_status status, std::string_view text, int number = 0) noexcept;
membrane_status fail(const error& problem, std::string_view subject = {}) noexcept;
membrane_status fail_null() noexcept;
membrane_status fail_read_only() noexcept;
// For the exception that is being handled.
membrane_status fail_caught() noexcept;

template <std::invocable Work>
membrane_status guarded(const Work& work) noexcept {
    try {
        return work();
    } catch (...) {
        return fail_caught();
    }
}

template <class... Pointers>
bool is_any_null(const Pointers*... pointers) noexcept {
    return ((pointers == nullptr) || ...);
}

inline std::string_view text_of(const void* key, std::size_t length) noexcept {
    return length == 0 ? std::string_view() : std::string_view(static_cast<const char*>(key), length);
}

// Bytes that the caller frees with membrane_free, with a zero behind them.
void* copy_for_caller(const void* bytes, std::size_t length);

// A new handle for a filter, or the status of its error.
template <class Made>
membrane_status hand_over(result<Made>&& outcome, membrane_filter** made, std::string_view subject = {}) {
    if (!outcome) return fail(outcome.error(), subject);
    *made = new membrane_filter(filter(std::move(*outcome)));
    return MEMBRANE_OK;
}
membrane_status hand_over(const result<std::vector<std::byte>>& outcome, void** bytes, std::size_t* length);

// Work that changes the filter.
template <class Work>
membrane_status change(membrane_filter* filter, const Work& work) noexcept {
    if (filter == nullptr) return fail_null();
    if (filter->own == nullptr) return fail_read_only();
    return guarded([&] { return work(*filter->own); });
}
// Work that looks something up and writes it to the caller's variable.
template <class Answer, class Work>
membrane_status ask(const membrane_filter* filter, Answer* answer, const Work& work) noexcept {
    if (is_any_null(filter, answer)) return fail_null();
    return guarded([&]() -> membrane_status {
        *answer = work(*filter->view);
        return MEMBRANE_OK;
    });
}

}  // namespace membrane::c
