// A bar with rate and time left on standard error, only when that is a terminal and the work takes longer than half a
// second. Where the total is unknown (a pipe) it shows what was done and how fast. Wiped when it goes out of scope, so that
// messages and results start on a clean line.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace membrane::cli {

class key_reader;

// What is counted beside the bar; steps are not worth a number.
enum class progress_unit { keys, steps };

class progress {
public:
    progress(std::string_view verb, std::optional<std::uint64_t> total, bool is_quiet,
             progress_unit unit = progress_unit::keys);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();

    // `done` is in the unit of the total, which may be bytes; the rate is told in keys.
    void update(std::uint64_t done, std::uint64_t keys);
    void update(const key_reader& reader);
    // What is being done now.
    void rename(std::string_view verb) { verb_ = verb; }

private:
    using clock = std::chrono::steady_clock;

    void draw(std::uint64_t done, std::uint64_t keys, clock::time_point now);

    std::string verb_;
    progress_unit unit_;
    std::optional<std::uint64_t> total_;
    bool is_shown_;
    bool is_drawn_ = false;
    clock::time_point start_;
    clock::time_point next_draw_;
};

}  // namespace membrane::cli
