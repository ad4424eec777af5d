#include <membrane/format/labels.hpp>

#include <algorithm>

#include <membrane/base/utf8.hpp>

namespace membrane {

namespace {

bool is_name_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '.' || letter == '-';
}

bool is_shown_text(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = utf8_character_bytes(text);
        if (size == 0 || is_control_character(text.substr(0, size))) return false;
        text.remove_prefix(size);
    }
    return true;
}

result<void> check_label(const label& each) {
    if (each.name.empty() || each.name.size() > most_label_name_bytes)
        return make_error(errc::bad_field, "bytes of a label's name")
            .with_found(each.name.size())
            .with_range(1, most_label_name_bytes);
    if (!std::all_of(each.name.begin(), each.name.end(), is_name_letter))
        return make_error(errc::bad_field, "label name")
            .with_note("a name has letters, digits and _ . - only");
    if (each.value.size() > most_label_value_bytes)
        return make_error(errc::bad_field, "bytes of a label's value")
            .with_found(each.value.size())
            .with_range(0, most_label_value_bytes);
    if (!is_shown_text(each.value))
        return make_error(errc::bad_field, "label value")
            .with_note("a value is UTF-8 text without control characters");
    return {};
}

// Takes the first line; empty if it is not one of a label.
std::optional<label> next_label(std::string_view& text) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    return label{line.substr(0, equals), line.substr(equals + 1)};
}

std::string line_of(const label& each) {
    return std::string(each.name).append("=").append(each.value).append("\n");
}

error too_long(std::size_t bytes) {
    return make_error(errc::bad_field, "bytes of all labels")
        .with_found(bytes)
        .with_range(0, most_label_bytes);
}

}  // namespace

result<file_labels> file_labels::decode(std::string_view text) {
    if (text.size() > most_label_bytes) return too_long(text.size());
    for (std::string_view left = text; !left.empty();) {
        const auto each = next_label(left);
        if (!each) return make_error(errc::bad_field, "labels").with_note("a label is a line NAME=VALUE");
        if (auto checked = check_label(*each); !checked) return checked.error();
    }
    file_labels made;
    made.replace(std::string(text));
    return made;
}

std::vector<label> file_labels::all() const {
    std::vector<label> found;
    for (std::string_view left = text(); !left.empty();) found.push_back(*next_label(left));
    return found;
}

std::optional<std::string_view> file_labels::find(std::string_view name) const {
    for (const label& each : all())
        if (each.name == name) return each.value;
    return std::nullopt;
}

bool file_labels::has(const label& wanted) const {
    const auto labels = all();
    return std::find(labels.begin(), labels.end(), wanted) != labels.end();
}

result<void> file_labels::set(std::string_view name, std::string_view value) {
    if (auto checked = check_label({name, value}); !checked) return checked;
    std::string made;
    bool is_set = false;
    for (const label& each : all()) {
        if (each.name != name) made += line_of(each);
        else if (!is_set) made += line_of({name, value});
        is_set = is_set || each.name == name;
    }
    if (!is_set) made += line_of({name, value});
    if (made.size() > most_label_bytes) return too_long(made.size());
    replace(std::move(made));
    return {};
}

void file_labels::remove(std::string_view name) {
    std::string made;
    for (const label& each : all())
        if (each.name != name) made += line_of(each);
    replace(std::move(made));
}

std::size_t file_labels::merge(const file_labels& other) {
    std::size_t left_out = 0;
    for (const label& each : other.all()) {
        if (has(each)) continue;
        std::string made = std::string(text()) + line_of(each);
        if (made.size() > most_label_bytes) ++left_out;
        else replace(std::move(made));
    }
    return left_out;
}

void file_labels::replace(std::string text) {
    text_ = text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text));
}

}  // namespace membrane
