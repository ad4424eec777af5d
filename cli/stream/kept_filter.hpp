// A filter file that one process changes and saves again and again. It holds the lock of the file all the time, also from one saved
// state to the next, so that no other writer's keys are lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/save.hpp>

namespace membrane::cli {

class kept_filter {
public:
    // Opens the file. A missing one is made: empty, and at once, so that a second process waits for the first. `is_forced`: starts with
    // the new filter, which replaces the file when it is saved for the first time.
    kept_filter(const std::string& path, bool is_forced, const std::function<any_filter()>& make_new,
                const file_permissions& permissions = {});

    any_filter& filter() noexcept { return filter_; }
    const any_filter& filter() const noexcept { return filter_; }
    bool is_new() const noexcept { return is_new_; }
    void save();

private:
    std::string path_;
    file_permissions permissions_;
    bool is_new_ = false;
    std::optional<file_lock> lock_;
    any_filter filter_;
};

// When to save: after so many keys, or so long after the last time.
struct save_schedule {
    std::optional<std::uint64_t> keys;
    std::optional<std::chrono::milliseconds> time;

    static std::optional<save_schedule> parse(std::string_view text);  // "10M", "30s", "5min", "1h"
};
inline constexpr char save_schedule_wanted[] = "a number of keys (10M) or a time (30s, 5min, 1h)";

}  // namespace membrane::cli
