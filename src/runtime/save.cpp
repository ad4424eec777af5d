#include <membrane/runtime/save.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <membrane/format/encode.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "descriptor.hpp"

namespace membrane {

namespace {

std::string directory_of(const std::string& path) {
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

result<void> write_all(int file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written =
            ::write(file, bytes.data(), std::min<std::size_t>(bytes.size(), std::size_t{1} << 30));
        if (written < 0) {
            if (errno == EINTR) continue;
            return system_error("write");
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

// The new file before it gets its final name. Where the system supports O_TMPFILE, it has no name at all until it is
// complete: a process that is killed before leaves nothing behind.
class new_file {
public:
    static result<new_file> create(const std::string& directory, const std::string& final_path,
                                   const file_permissions& permissions) {
#if defined(O_TMPFILE)
        // link_as names it through /proc.
        if (::access("/proc/self/fd", X_OK) == 0)
            if (const int opened =
                    ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, permissions.bits);
                opened >= 0)
                return new_file(descriptor(opened), unused_name(final_path), false);
#endif
        std::string name = unused_name(final_path);
        int opened = -1;
        while ((opened = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, permissions.bits)) <
                   0 &&
               errno == EEXIST)
            name = unused_name(final_path);
        if (opened < 0) return system_error("create a file in the directory");
        return new_file(descriptor(opened), name, true);
    }

    new_file(new_file&& other) noexcept
        : file_(std::move(other.file_)),
          name_(std::move(other.name_)),
          is_named_(std::exchange(other.is_named_, false)) {}
    ~new_file() {
        if (is_named_) ::unlink(name_.c_str());
    }

    int number() const noexcept { return file_.number(); }

    // Gives the file its final name in one atomic step.
    result<void> publish(const std::string& path, existing what_is_there) {
        if (what_is_there == existing::keep) {
            // Unlike rename, link never replaces a file, not even one that another process has just made.
            if (!link_as(path))
                return errno == EEXIST ? make_error(errc::already_exists, "output")
                                       : system_error("name the new file");
            return {};
        }
        if (!is_named_) {
            while (!link_as(name_)) {
                if (errno != EEXIST) return system_error("name the new file");
                name_ = unused_name(path);
            }
            is_named_ = true;
        }
        if (::rename(name_.c_str(), path.c_str()) != 0) return system_error("rename");
        is_named_ = false;
        return {};
    }

private:
    new_file(descriptor file, std::string name, bool is_named)
        : file_(std::move(file)), name_(std::move(name)), is_named_(is_named) {}

    // The name may exist nevertheless: a process in another container may have our process id.
    static std::string unused_name(const std::string& final_path) {
        static std::atomic<std::uint64_t> calls = 0;
        return final_path + ".new-" + std::to_string(::getpid()) + "-" + std::to_string(calls++);
    }

    bool link_as(const std::string& path) const {
        const std::string from = is_named_ ? name_ : "/proc/self/fd/" + std::to_string(file_.number());
        return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }

    descriptor file_;
    std::string name_;
    bool is_named_;
};

result<void> sync_directory(const std::string& directory) {
    const descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened.is_open() || ::fsync(opened.number()) != 0) return system_error("sync the directory");
    return {};
}

// The file behind symbolic links, so that saving replaces the file and not the link.
std::string resolved(const std::string& path) {
    char* const real = ::realpath(path.c_str(), nullptr);
    if (real == nullptr) return path;
    std::string text(real);
    std::free(real);
    return text;
}

result<void> save_parts(std::initializer_list<std::span<const std::byte>> parts,
                        const std::string& given_path, existing what_is_there,
                        const file_permissions& permissions, std::optional<file_lock>* lock = nullptr) {
    const std::string path = resolved(given_path);
    struct stat old {};
    const bool is_there = ::stat(path.c_str(), &old) == 0;
    if (is_there && what_is_there == existing::keep) return make_error(errc::already_exists, "output");
    if (is_there && !S_ISREG(old.st_mode)) {
        errno = S_ISDIR(old.st_mode) ? EISDIR : EINVAL;
        return system_error("the output is not a regular file");
    }
    const std::string directory = directory_of(path);
    auto file = new_file::create(directory, path, permissions);
    if (!file) return file.error();
    const mode_t bits = permissions.are_exact ? permissions.bits : old.st_mode & 07777;
    if ((is_there || permissions.are_exact) && ::fchmod(file->number(), bits) != 0)
        return system_error("set permissions");
    for (const auto& part : parts)
        if (auto written = write_all(file->number(), part); !written) return written;
    if (::fsync(file->number()) != 0) return system_error("sync");
    if (lock != nullptr) {
        if (::flock(file->number(), LOCK_EX) != 0) return system_error("lock");
        const int held = ::fcntl(file->number(), F_DUPFD_CLOEXEC, 0);
        if (held < 0) return system_error("lock");
        lock->emplace(file_lock::adopt(held));
    }
    if (auto published = file->publish(path, what_is_there); !published) return published;
    return sync_directory(directory);
}

}  // namespace

result<void> save(const any_view& filter, const std::string& path, existing what_is_there,
                  const file_permissions& permissions) {
    if (filter.payload().data() == nullptr) {
        const auto settled = any_filter::copy_of(filter);
        return settled ? save(*settled, path, what_is_there, permissions) : settled.error();
    }
    return save(filter.as_file(), path, what_is_there, permissions);
}

result<void> save(const file_view& filter, const std::string& path, existing what_is_there,
                  const file_permissions& permissions) {
    const auto header = encode_header(filter, payload_checksum(filter.payload));
    return save_parts({header, filter.payload}, path, what_is_there, permissions);
}

result<file_lock> save_and_lock(const any_view& filter, const std::string& path, existing what_is_there,
                                const file_permissions& permissions) {
    if (filter.payload().data() == nullptr) {
        const auto settled = any_filter::copy_of(filter);
        if (!settled) return settled.error();
        return save_and_lock(*settled, path, what_is_there, permissions);
    }
    const file_view file = filter.as_file();
    const auto header = encode_header(file, payload_checksum(file.payload));
    std::optional<file_lock> lock;
    if (auto saved = save_parts({header, file.payload}, path, what_is_there, permissions, &lock); !saved)
        return saved.error();
    return std::move(*lock);
}

result<void> save_bytes(std::span<const std::byte> bytes, const std::string& path, existing what_is_there,
                        const file_permissions& permissions) {
    return save_parts({bytes}, path, what_is_there, permissions);
}

result<file_lock> file_lock::acquire(const std::string& path) {
    for (;;) {
        descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        if (!file.is_open()) return system_error("open");
        while (::flock(file.number(), LOCK_EX) != 0)
            if (errno != EINTR) return system_error("lock");
        struct stat locked {
        }, named{};
        if (::fstat(file.number(), &locked) != 0) return system_error("stat");
        if (::stat(path.c_str(), &named) == 0 && named.st_ino == locked.st_ino &&
            named.st_dev == locked.st_dev)
            return file_lock(file.release());
    }
}

file_lock::~file_lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace membrane
