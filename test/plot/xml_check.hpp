// Is this text well-formed XML of the kind that the writer makes (elements, attributes, entities; no comments, no CDATA)?
// Returns what is wrong with it, or nothing.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace membrane::test {

class xml_check {
public:
    static std::string complaint(std::string_view text) {
        xml_check check{text};
        return check.run();
    }

private:
    explicit xml_check(std::string_view text) : text_(text) {}

    std::string run() {
        while (at_ < text_.size()) {
            const std::string wrong = text_[at_] == '<' ? tag() : content();
            if (!wrong.empty()) return wrong + " at byte " + std::to_string(at_);
        }
        if (!open_.empty()) return "unclosed " + open_.back();
        return roots_ == 1 ? "" : "not one root element";
    }

    std::string content() {
        const std::size_t end = std::min(text_.find('<', at_), text_.size());
        const std::string_view part = text_.substr(at_, end - at_);
        if (open_.empty() && part.find_first_not_of("\n ") != std::string_view::npos) return "text outside";
        at_ = end;
        return entities(part);
    }

    static std::string entities(std::string_view part) {
        for (std::size_t i = part.find('&'); i != std::string_view::npos; i = part.find('&', i + 1)) {
            const std::string_view name = part.substr(i + 1, part.find(';', i) - i - 1);
            if (name != "amp" && name != "lt" && name != "gt" && name != "quot" && name != "#39")
                return "bad entity";
        }
        for (const char letter : part)
            if (static_cast<unsigned char>(letter) < 0x20 && letter != '\n') return "control character";
        return "";
    }

    std::string tag() {
        const bool is_end = text_.substr(at_, 2) == "</";
        at_ += is_end ? 2 : 1;
        const std::string name = word();
        if (name.empty()) return "no name";
        if (is_end) {
            if (open_.empty() || open_.back() != name) return "wrong end tag " + name;
            open_.pop_back();
            return text_[at_++] == '>' ? "" : "end tag not closed";
        }
        if (open_.empty()) ++roots_;
        while (text_.substr(at_, 1) == " ") {
            ++at_;
            if (word().empty() || text_.substr(at_, 2) != "=\"") return "bad attribute";
            const std::size_t end = text_.find('"', at_ + 2);
            if (end == std::string_view::npos) return "open quote";
            const std::string_view value = text_.substr(at_ + 2, end - at_ - 2);
            if (value.find('<') != std::string_view::npos) return "< in attribute";
            if (const std::string wrong = entities(value); !wrong.empty()) return wrong;
            at_ = end + 1;
        }
        if (text_.substr(at_, 2) == "/>") {
            at_ += 2;
            return "";
        }
        open_.push_back(name);
        return text_[at_++] == '>' ? "" : "tag not closed";
    }

    std::string word() {
        std::string name;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                      text_[at_] == '-' || text_[at_] == ':'))
            name += text_[at_++];
        return name;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t roots_ = 0;
    std::vector<std::string> open_;
};

}  // namespace membrane::test
