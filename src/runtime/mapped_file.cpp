#include <membrane/runtime/mapped_file.hpp>

#include <cstdint>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "descriptor.hpp"

namespace membrane {

result<mapped_file> mapped_file::open(const std::string& path) {
    // O_NONBLOCK: opening a named pipe would otherwise wait for a writer. It changes nothing for a regular file.
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.is_open()) return system_error("open");
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) return system_error("stat");
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return system_error("open");
    }
    if (!S_ISREG(status.st_mode)) return make_error(errc::io_error, "map: it is not a regular file");
    if (static_cast<std::uint64_t>(status.st_size) > PTRDIFF_MAX)
        return make_error(errc::too_large, "file bytes")
            .with_found(static_cast<std::uint64_t>(status.st_size))
            .with_range(0, PTRDIFF_MAX);
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0)
        return mapped_file(
            std::span<const std::byte>());  // mmap refuses no bytes; the decoder reports the empty file
    void* const data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number(), 0);
    if (data == MAP_FAILED) return system_error("map");
    return mapped_file({static_cast<const std::byte*>(data), size});
}

mapped_file::~mapped_file() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void mapped_file::expect(reading how) const noexcept {
    if (bytes_.empty()) return;
    (void)::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(),
                    how == reading::in_order ? MADV_SEQUENTIAL : MADV_RANDOM);
}

}  // namespace membrane
