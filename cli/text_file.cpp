#include "text_file.hpp"

#include <cerrno>
#include <cstdio>

#include "report.hpp"

namespace membrane::cli {

void save_text(const std::string& path, std::string_view text) {
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) fail_errno(path, "write", errno);
    const bool is_written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int problem = errno;
    if (std::fclose(file) != 0) fail_errno(path, "write", errno);
    if (!is_written) fail_errno(path, "write", problem);
}

}  // namespace membrane::cli
