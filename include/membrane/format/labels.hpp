// Labels of a filter file: NAME=VALUE pairs such as name, source, date and version, for the people and programs that handle files. They are
// in the header, do not change any answer, and a reader that does not know them ignores them (doc/format.md).
//
//   NAME    1 to 64 of a-z A-Z 0-9 _ . -
//   VALUE   UTF-8 of at most 1024 bytes without control characters
//
// A name may have several values: merged filters keep the labels of both. All labels take at most 2048 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/base/result.hpp>

namespace membrane {

inline constexpr std::size_t most_label_bytes = 2048;
inline constexpr std::size_t most_label_name_bytes = 64;
inline constexpr std::size_t most_label_value_bytes = 1024;

struct label {
    std::string_view name;
    std::string_view value;

    friend bool operator==(const label&, const label&) = default;
};

// Cheap to copy: copies share their text, which is never changed.
class file_labels {
public:
    // Lines "NAME=VALUE\n", as a file has them.
    static result<file_labels> decode(std::string_view text);

    bool empty() const noexcept { return text_ == nullptr; }
    std::string_view text() const noexcept { return text_ == nullptr ? std::string_view() : *text_; }
    // Valid as long as these labels are not changed.
    std::vector<label> all() const;
    std::optional<std::string_view> find(std::string_view name) const;

    // In place of all values of the name. Fails, and changes nothing, if the label is not valid or does not fit.
    result<void> set(std::string_view name, std::string_view value);
    void remove(std::string_view name);
    // The labels of both, each pair once. Returns how many of the other's do not fit.
    std::size_t merge(const file_labels& other);

private:
    void replace(std::string text);
    bool has(const label& each) const;

    std::shared_ptr<const std::string> text_;  // null: no labels
};

}  // namespace membrane
