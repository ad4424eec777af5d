#include <membrane/runtime/filter_file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "descriptor.hpp"

namespace membrane {

void mapped_file::unmap::operator()(const std::byte* data) const noexcept {
    ::munmap(const_cast<std::byte*>(data), size);
}

result<mapped_file> mapped_file::open(const std::string& path) {
    // Not blocking: opening a named pipe would wait for a writer. A regular file is the same with it.
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file.is_open()) return system_error("open");
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) return system_error("stat");
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return system_error("open");
    }
    if (!S_ISREG(status.st_mode)) return make_error(errc::io_error, "map: it is not a regular file");
    mapped_file mapped;
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return mapped;  // nothing can be mapped; the decoder says that the file is empty
    void* const data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number(), 0);
    if (data == MAP_FAILED) return system_error("map");
    mapped.data_ = std::unique_ptr<const std::byte, unmap>(static_cast<const std::byte*>(data), unmap{size});
    return mapped;
}

void mapped_file::expect(reading how) const noexcept {
    if (bytes().empty()) return;
    (void)::madvise(const_cast<std::byte*>(data_.get()), bytes().size(),
                    how == reading::in_order ? MADV_SEQUENTIAL : MADV_RANDOM);
}

result<mapped_filter> mapped_filter::open(const std::string& path, checksum payload_check) {
    auto file = mapped_file::open(path);
    if (!file) return file.error();
    file->expect(payload_check == checksum::verify ? reading::in_order : reading::scattered);
    const auto view = any_view::open(file->bytes(), payload_check);
    if (!view) return view.error();
    file->expect(reading::scattered);
    return mapped_filter(std::move(*file), *view);
}

}  // namespace membrane
