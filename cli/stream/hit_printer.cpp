#include "hit_printer.hpp"

#include <membrane/base/endian.hpp>
#include <membrane/base/utf8.hpp>

#include "cli/print/json_text.hpp"

namespace membrane::cli {

void hit_printer::clear() {
    text_.clear();
    printed_ = 0;
}

void hit_printer::add(const key_parser& parser, std::span<const input_key> keys,
                      std::span<const filter_mask> masks) {
    for (std::size_t i = 0; i < keys.size(); ++i) add_key(parser, keys[i], parser.lines()[i], masks[i]);
}

void hit_printer::add_key(const key_parser& parser, const input_key& key, std::uint32_t line,
                          filter_mask mask) {
    if (style_.shows_keys || (style_.is_json && !style_.is_inverted)) {
        if ((mask != 0) == style_.is_inverted) return;
        if (style_.is_json) append_object(parser.block().name, parser.line_in_file(line), key.bytes, mask);
        else append_record(key.bytes, mask);
        return;
    }
    if (is_open_ && line != line_) finish();
    if (!is_open_) {
        is_open_ = true;
        line_ = line;
        record_ = key.record;
        mask_ = 0;
        if (style_.is_json) {
            number_ = parser.line_in_file(line);
            file_ = parser.block().name;
        }
    }
    mask_ |= mask;
}

void hit_printer::finish() {
    if (!is_open_) return;
    is_open_ = false;
    if ((mask_ != 0) == style_.is_inverted) return;
    if (style_.is_json) append_object(file_, number_, record_, mask_);
    else append_record(record_, mask_);
}

void hit_printer::append_record(std::string_view record, filter_mask mask) {
    ++printed_;
    if (style_.shows_names && mask != 0) {
        bool is_first = true;
        for (std::size_t i = 0; i < style_.names.size(); ++i)
            if ((mask >> i & 1) != 0) {
                text_.append(is_first ? "" : ",").append(style_.names[i]);
                is_first = false;
            }
        text_ += ':';
    }
    text_.append(record).append(record_end_of(style_.format));
}

void hit_printer::append_key_text(std::string_view key) {
    text_ += R"("key":)";
    if (style_.format == key_format::u64) {
        const auto number = load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(key.data()));
        text_.append("\"").append(std::to_string(number)).append("\"");
    } else if (style_.format == key_format::hex && !style_.is_inverted) {
        text_.append("\"").append(hex_digits(key)).append("\"");
    } else {
        append_json_text(text_, key);
        if (!is_utf8(key)) text_.append(R"(,"key_hex":")").append(hex_digits(key)).append("\"");
    }
}

void hit_printer::append_object(const std::string& file, std::uint64_t line, std::string_view key,
                                filter_mask mask) {
    ++printed_;
    text_ += R"({"file":)";
    append_json_text(text_, file);
    text_.append(R"(,"line":)").append(std::to_string(line)).append(",");
    append_key_text(key);
    text_ += R"(,"filters":[)";
    bool is_first = true;
    for (std::size_t i = 0; i < style_.names.size(); ++i)
        if ((mask >> i & 1) != 0) {
            if (!is_first) text_ += ',';
            append_json_text(text_, style_.names[i]);
            is_first = false;
        }
    text_ += "]}\n";
}

}  // namespace membrane::cli
