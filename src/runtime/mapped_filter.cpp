#include <membrane/runtime/mapped_filter.hpp>

namespace membrane {

result<mapped_filter> mapped_filter::try_open(const std::string& path, checksum payload_check) {
    auto file = mapped_file::open(path);
    if (!file) return file.error();
    file->expect(payload_check == checksum::verify ? reading::in_order : reading::scattered);
    const auto view = any_view::open(file->bytes(), payload_check);
    if (!view) return view.error();
    file->expect(reading::scattered);
    return mapped_filter(std::move(*file), *view);
}

}  // namespace membrane
