#include <membrane/runtime/kind_text.hpp>

#include <charconv>

namespace membrane {

namespace {

using number_reader = std::optional<std::uint64_t> (*)(std::string_view);

std::string_view before(std::string_view text, char separator) {
    return text.substr(0, text.find(separator));
}

std::string_view after(std::string_view text, char separator) {
    const std::size_t found = text.find(separator);
    return found == std::string_view::npos ? std::string_view{} : text.substr(found + 1);
}

std::optional<std::uint64_t> value_of(const field_rule& rule, std::string_view text,
                                      number_reader read_number) {
    for (std::size_t i = 0; i < rule.choices.size(); ++i)
        if (rule.choices[i] == text) return i;
    const auto number = read_number(text);
    if (!number || *number < rule.least || *number > rule.most) return std::nullopt;
    return number;
}

void read_field(kind_reading& made, std::string_view assignment, number_reader read_number) {
    made.name = before(assignment, '=');
    made.value = after(assignment, '=');
    const auto fields = made.kind->rules.fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].name != made.name) continue;
        made.rule = &fields[i];
        const auto value = value_of(fields[i], made.value, read_number);
        if (!value) {
            made.fault = kind_text_fault::bad_value;
            return;
        }
        made.given.spec[i] = *value;
        made.given.is_given.set(i);
        return;
    }
    made.fault = kind_text_fault::unknown_field;
}

}  // namespace

kind_reading read_kind_text(std::string_view text, number_reader read_number) {
    kind_reading made;
    made.name = before(text, ':');
    made.kind = find_entry(made.name);
    if (made.kind == nullptr) {
        made.fault = kind_text_fault::unknown_kind;
        return made;
    }
    made.given.spec.kind = made.kind->rules.id;
    for (std::string_view left = after(text, ':'); !left.empty() && made.fault == kind_text_fault::none;
         left = after(left, ','))
        read_field(made, before(left, ','), read_number);
    return made;
}

std::optional<std::uint64_t> read_plain_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return number;
}

}  // namespace membrane
