// A page has no mapped files: the bytes are read into memory.
#include <membrane/runtime/mapped_file.hpp>

#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/descriptor.hpp"

namespace membrane {

result<mapped_file> mapped_file::open(const std::string& path) {
    const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return system_error("open");
    struct stat status {};
    if (::fstat(file.number(), &status) != 0) return system_error("stat");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size == 0) return mapped_file(std::span<const std::byte>());
    constexpr std::size_t line = 64;
    const std::uint64_t rounded = (size + line - 1) / line * line;
    void* const memory =
        rounded > SIZE_MAX ? nullptr : std::aligned_alloc(line, static_cast<std::size_t>(rounded));
    if (memory == nullptr) return make_error(errc::out_of_memory, "bytes of the file").with_found(size);
    mapped_file made({static_cast<const std::byte*>(memory), static_cast<std::size_t>(size)});
    for (std::size_t done = 0; done < made.bytes_.size();) {
        const ssize_t got =
            ::read(file.number(), static_cast<char*>(memory) + done, made.bytes_.size() - done);
        if (got < 0) return system_error("read");
        if (got == 0) return make_error(errc::truncated, "file, while it was read");
        done += static_cast<std::size_t>(got);
    }
    return made;
}

mapped_file::~mapped_file() {
    if (!bytes_.empty()) std::free(const_cast<std::byte*>(bytes_.data()));
}

void mapped_file::expect(reading) const noexcept {}

}  // namespace membrane
