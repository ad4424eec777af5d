// A filter in a mapped file: lookups read the file's pages, nothing is copied.
#pragma once

#include <string>
#include <utility>

#include <membrane/runtime/any_view.hpp>
#include <membrane/runtime/mapped_file.hpp>

namespace membrane {

class mapped_filter {
public:
    static result<mapped_filter> open(const std::string& path, checksum payload_check = checksum::verify);

    const any_view& view() const noexcept { return view_; }
    const any_view* operator->() const noexcept { return &view_; }

private:
    mapped_filter(mapped_file file, const any_view& view) : file_(std::move(file)), view_(view) {}

    mapped_file file_;
    any_view view_;
};

}  // namespace membrane
