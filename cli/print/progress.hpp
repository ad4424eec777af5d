// A progress bar with rate and remaining time on standard error. It appears only on a terminal and only if the work takes
// longer than half a second. With an unknown total (a pipe) it shows the number of keys and the rate. The destructor clears
// the line, so that messages and results start on an empty one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace membrane::cli {

// The number beside the bar: keys are shown, steps are not.
enum class progress_unit { keys, steps };

class progress {
public:
    progress(std::string_view verb, std::optional<std::uint64_t> total, bool is_quiet,
             progress_unit unit = progress_unit::keys);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress();

    // `done` is in the unit of the total, which may be bytes; the rate is shown in keys.
    void update(std::uint64_t done, std::uint64_t keys);
    // `reader` counts the bytes and the keys that it has read.
    template <class Reader>
    void update(const Reader& reader) {
        update(reader.bytes_read(), reader.keys_read());
    }
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
