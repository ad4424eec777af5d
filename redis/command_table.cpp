// Registers commands, with what COMMAND DOCS and COMMAND INFO show of them.
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/version.hpp>

#include "command.hpp"

namespace membrane::redis {

namespace {

std::vector<key_spec> key_specs_of(key_use use) {
    const auto at = [](int position, std::uint64_t flags, int last = 0) {
        key_spec spec;
        spec.flags = flags;
        spec.begin_search = begin_at_position;
        spec.begin.from = position;
        spec.find_keys = find_range;
        spec.find.range = {last, 1, 0};
        return spec;
    };
    constexpr std::uint64_t reads = key_read_only | key_accessed;
    switch (use) {
        case key_use::none: return {key_spec{}};
        case key_use::reads: return {at(1, reads), key_spec{}};
        case key_use::creates: return {at(1, key_overwritten | key_inserted), key_spec{}};
        case key_use::adds: return {at(1, key_read_write | key_inserted), key_spec{}};
        case key_use::changes: return {at(1, key_read_write | key_accessed | key_updated), key_spec{}};
        case key_use::erases: return {at(1, key_read_write | key_deleted), key_spec{}};
        case key_use::merges_rest: return {at(1, key_read_write | key_updated), at(2, reads, -1), key_spec{}};
        case key_use::merges_counted: {
            key_spec sources = at(2, reads);
            sources.find_keys = find_number;
            sources.find.number = {0, 1, 1};
            return {at(1, key_read_write | key_updated), sources, key_spec{}};
        }
    }
    return {key_spec{}};
}

// Reads the syntax of command_row.
class syntax_reader {
public:
    syntax_reader(const char* syntax, int sources_spec) : left_(syntax), sources_spec_(sources_spec) {}

    // Ends with an empty one.
    std::vector<command_argument> read_all() { return read_until('\0'); }

private:
    std::vector<command_argument> read_until(char end) {
        std::vector<command_argument> found;
        for (skip_spaces(); !left_.empty() && left_.front() != end; skip_spaces())
            found.push_back(read_one());
        if (!left_.empty()) left_.remove_prefix(1);
        found.push_back({});
        return found;
    }

    command_argument read_one() {
        command_argument made;
        if (left_.front() == '[') {
            left_.remove_prefix(1);
            made = block_of(read_until(']'));
            made.flags |= argument_is_optional;
        } else if (left_.front() == '(') {
            left_.remove_prefix(1);
            made = block_of(read_until(')'));
        } else {
            made = argument_of(word());
        }
        if (left_.starts_with("...")) {
            left_.remove_prefix(3);
            made.flags |= argument_is_multiple;
        }
        return made;
    }

    // One argument stays what it is; a token and one value are a value with a token.
    command_argument block_of(std::vector<command_argument> parts) {
        if (parts.size() == 2) return parts.front();
        if (parts.size() == 3 && parts.front().type == argument_type::token && parts[1].token == nullptr) {
            parts[1].token = parts.front().token;
            return parts[1];
        }
        command_argument made;
        made.name = parts[parts.front().type == argument_type::token ? 1 : 0].name;
        made.type = argument_type::block;
        blocks_.push_back(std::move(parts));
        made.parts = blocks_.back().data();
        return made;
    }

    command_argument argument_of(std::string_view text) {
        command_argument made;
        const std::string_view name = text.substr(0, text.find(':'));
        const std::string_view type = text.substr(std::min(text.size(), name.size() + 1));
        if (name.front() >= 'A' && name.front() <= 'Z') {
            made.type = argument_type::token;
            made.token = kept(name);
            std::string lower(name);
            for (char& letter : lower) letter = static_cast<char>(letter | 0x20);
            made.name = kept(lower);
            return made;
        }
        made.name = kept(name);
        if (type == "int") made.type = argument_type::integer;
        else if (type == "double") made.type = argument_type::real;
        else if (type == "key") made.type = argument_type::key;
        if (made.type == argument_type::key) made.key_spec_index = name == "source" ? sources_spec_ : 0;
        return made;
    }

    void skip_spaces() {
        while (!left_.empty() && left_.front() == ' ') left_.remove_prefix(1);
    }
    std::string_view word() {
        const std::size_t end = std::min(left_.find_first_of(" [](){}."), left_.size());
        const std::string_view found = left_.substr(0, end);
        left_.remove_prefix(end);
        return found;
    }
    const char* kept(std::string_view text) { return texts_.emplace_back(text).c_str(); }

    std::string_view left_;
    int sources_spec_;
    std::deque<std::string> texts_;
    std::deque<std::vector<command_argument>> blocks_;
};

// The command works without documentation and categories, so that the server's refusal of them is no failure.
void describe_command(context* ctx, const command_row& command, const std::string& name,
                      const char* acl_category) {
    if (server.get_command == nullptr) return;
    command_handle* const handle = server.get_command(ctx, name.c_str());
    if (handle == nullptr) return;
    if (server.set_command_info != nullptr) {
        static constexpr info_version version;
        const std::vector<key_spec> keys = key_specs_of(command.keys);
        syntax_reader syntax(command.syntax, 1);
        const std::vector<command_argument> arguments = syntax.read_all();
        const command_info info{.version = &version,
                                .summary = command.summary,
                                .complexity = command.complexity,
                                .since = version_string,
                                .arity = command.arity,
                                .key_specs = command.keys == key_use::none ? nullptr : keys.data(),
                                .arguments = arguments.data()};
        if (server.set_command_info(handle, &info) != ok)
            server.log(ctx, "notice", "membrane: the server refuses the documentation of %s", name.c_str());
    }
    if (server.set_acl_categories != nullptr) server.set_acl_categories(handle, acl_category);
}

}  // namespace

bool create_command(context* ctx, const command_row& command, const std::string& name,
                    const char* acl_category) {
    const bool has_key = command.keys != key_use::none;
    // For servers without key specs: key positions without numbers of keys.
    const int last = command.keys == key_use::merges_rest ? -1 : has_key ? 1 : 0;
    if (server.create_command(ctx, name.c_str(), command.run, command.flags, has_key ? 1 : 0, last,
                              has_key ? 1 : 0) != ok) {
        server.log(ctx, "warning",
                   "membrane: the command %s exists already; load with COMPAT no or another PREFIX",
                   name.c_str());
        return false;
    }
    describe_command(ctx, command, name, acl_category);
    return true;
}

}  // namespace membrane::redis
