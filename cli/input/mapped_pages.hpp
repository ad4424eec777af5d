// What happens to a mapped file while it is read. Everything that membrane writes replaces its file as a whole, and whoever has the old one
// mapped goes on with it. But `cp new.mbr F.mbr` and a full disk change F.mbr itself.
#pragma once

#include <cstdint>
#include <string>

#include <sys/types.h>

namespace membrane::cli {

// From now on a page that is no longer there ends the process with a message that names its file, and exit code 4, instead of a SIGBUS.
void explain_lost_pages();

// Sees a change of a file's size or time. A page that was cut off in its middle reads as zeros, and keys would be missed silently.
class file_watch {
public:
    explicit file_watch(const std::string& path);
    file_watch(file_watch&& other) noexcept;
    file_watch& operator=(file_watch&&) = delete;
    ~file_watch();

    // Fails if the file has changed since.
    void check() const;

private:
    struct state {
        off_t size = 0;
        std::int64_t seconds = 0, nanoseconds = 0;
        bool operator==(const state&) const = default;
    };
    state now() const;

    std::string path_;
    int descriptor_;
    state first_;
};

}  // namespace membrane::cli
