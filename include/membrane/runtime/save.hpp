// Writing a filter to a file (POSIX). A new file is written beside the old one, synced and renamed over it, and the directory
// is synced: after a crash at any moment there is the old file or the new one, never a mix. A writer that reads a file and
// replaces it holds a lock meanwhile, so that no writer loses the keys of another.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include <membrane/base/result.hpp>

namespace membrane {

class any_view;
struct file_view;

// What to do with a file that has the name already.
enum class existing : bool { keep, replace };

// The permissions of a new file: less those of the umask, unless they are exact. A file that is replaced keeps its own, unless they are
// exact.
struct file_permissions {
    unsigned bits = 0666;
    bool are_exact = false;
};

// io_error carries errno; already_exists if there is a file and `existing::keep`.
result<void> save(const any_view& filter, const std::string& path, existing what_is_there,
                  const file_permissions& permissions = {});
result<void> save(const file_view& filter, const std::string& path, existing what_is_there,
                  const file_permissions& permissions = {});
// The same for other bytes, such as a packed filter.
result<void> save_bytes(std::span<const std::byte> bytes, const std::string& path, existing what_is_there,
                        const file_permissions& permissions = {});

// The exclusive right to replace a file. Locks the file itself and waits for another holder; if the file was replaced
// during the wait, locks the new one.
class file_lock {
public:
    static result<file_lock> acquire(const std::string& path);

    // For a file that is locked already.
    static file_lock adopt(int descriptor) noexcept { return file_lock(descriptor); }

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

// As save(), and the new file is locked before it has its name: who holds the lock of the old file goes on without a moment in which
// another writer could take it.
result<file_lock> save_and_lock(const any_view& filter, const std::string& path, existing what_is_there,
                                const file_permissions& permissions = {});

}  // namespace membrane
