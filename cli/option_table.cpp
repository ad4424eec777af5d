#include "option_table.hpp"

#include <fmt/format.h>

#include <lab/catalog.hpp>
#include <membrane/model/catalog.hpp>
#include <membrane/runtime/registry.hpp>

#include "kind_argument.hpp"
#include "options.hpp"

namespace membrane::cli {

namespace {

std::vector<std::string> choices_of(const std::string& value) {
    if (value.rfind("KIND", 0) == 0) {
        std::vector<std::string> kinds{std::string(automatic_kind)};
        for (const kind_entry& entry : registry()) kinds.emplace_back(entry.rules.name);
        return kinds;
    }
    if (value == model_type) {
        std::vector<std::string> models;
        for (const model::catalog_function& function : model::catalog()) models.emplace_back(function.name);
        return models;
    }
    if (value == lab_item_type) {
        std::vector<std::string> items{std::string(all_lab_items)};
        for (const lab::experiment& item : lab::catalog()) items.emplace_back(item.name);
        return items;
    }
    if (value.find(choice_separator) == std::string::npos) return {};
    return CLI::detail::split(value, choice_separator);
}

option_row row_of(const CLI::Option& option) {
    option_row row;
    for (const std::string& name : option.get_snames()) row.names.push_back(fmt::format("-{}", name));
    for (const std::string& name : option.get_lnames()) row.names.push_back(fmt::format("--{}", name));
    if (option.get_items_expected_max() != 0) row.value = option.get_type_name();
    row.meaning = option.get_description();
    row.choices = choices_of(row.value);
    row.takes_file = row.value == filter_type || row.value == key_file_type;
    row.is_required = option.get_required();
    row.is_repeated = option.get_items_expected_max() > 1;
    return row;
}

std::vector<std::string> examples_of(const CLI::App& app) {
    std::vector<std::string> examples;
    for (const std::string& line : CLI::detail::split(app.get_footer(), '\n'))
        if (line.rfind("  ", 0) == 0) examples.push_back(line.substr(2));
    return examples;
}

class plain_formatter : public CLI::Formatter {
public:
    std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_items_expected_max() == 0) return {};
        std::string text;
        if (!option->get_positional()) text.append(" ").append(option->get_type_name());
        if (option->get_items_expected_max() > 1) text += " ...";
        if (option->get_required()) text += " (required)";
        return text;
    }
};

}  // namespace

command_row table_of(const CLI::App& app, const std::string& parent_path) {
    command_row row;
    row.name = app.get_name();
    row.path = parent_path.empty() ? row.name : parent_path + " " + row.name;
    row.meaning = app.get_description();
    for (const CLI::Option* const option : app.get_options())
        (option->get_positional() ? row.positionals : row.options).push_back(row_of(*option));
    row.examples = examples_of(app);
    for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty()) row.commands.push_back(table_of(*command, row.path));
    return row;
}

std::vector<const command_row*> flatten(const command_row& row) {
    std::vector<const command_row*> all{&row};
    for (const command_row& command : row.commands) {
        const auto below = flatten(command);
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}

std::shared_ptr<CLI::FormatterBase> make_formatter() {
    auto formatter = std::make_shared<plain_formatter>();
    formatter->column_width(34);
    formatter->label("SUBCOMMAND", "COMMAND");
    formatter->label("Positionals", "Arguments");
    return formatter;
}

}  // namespace membrane::cli
