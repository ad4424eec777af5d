// membrane query: which keys may be present? Prints them as they were read, like grep prints lines.
#include <array>
#include <span>

#include "commands.hpp"
#include "filter_io.hpp"
#include "json_output.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "query_redis.hpp"

namespace membrane::cli {

namespace {

struct query_options {
    std::string filter;
    key_source source;
    bool is_inverted = false;
    bool is_counting = false;
    bool is_json = false;
    bool is_trusted = false;
    redis_target target;
};

void declare_query(CLI::App& command, query_options& options) {
    add_filter(command, options.filter,
               "The filter file, or with --redis the name of a filter on the server");
    add_key_files(command, options.source);
    command.add_flag("-v,--invert", options.is_inverted, "Print the keys that are certainly absent instead");
    CLI::Option* const count =
        command.add_flag("-c,--count", options.is_counting, "Print only how many keys there would be");
    add_json(command, options.is_json)->needs(count);
    command.add_flag("--trust", options.is_trusted, "Do not read the whole file for its checksum first");
    add_redis(command, options.target);
    set_examples(
        command,
        {"seq 1 100 | membrane build -q -o seen.mbr && seq 90 200 | membrane query seen.mbr",
         "seq 1 5 | membrane build -q -o five.mbr && seq 1 10 | membrane query five.mbr --invert --count"});
}

using answer_bits = std::array<std::uint64_t, key_reader::batch_keys / 64>;

bool answer_at(const answer_bits& answers, std::size_t i) { return (answers[i / 64] >> (i % 64) & 1) != 0; }

// Asks for all keys, `ask` a batch at a time, and prints what is wanted; the number of keys that may be present.
template <class Ask>
std::uint64_t ask_all(const query_options& options, key_reader& reader, Ask&& ask) {
    progress bar("asking", reader.total_bytes(), false);
    answer_bits answers{};
    std::uint64_t present = 0;
    for (auto keys = reader.next_batch(); !keys.empty(); keys = reader.next_batch()) {
        present += ask(keys, answers);
        if (!options.is_counting)
            for (std::size_t i = 0; i < keys.size(); ++i) {
                if (answer_at(answers, i) == options.is_inverted) continue;
                out().write(keys[i].record);
                out().write(reader.record_end());
            }
        bar.update(reader);
    }
    return present;
}

std::uint64_t ask_server(const query_options& options, key_reader& reader) {
    remote_filter filter(options.target, options.filter);
    return ask_all(options, reader, [&](std::span<const input_key> keys, answer_bits& answers) {
        return filter.may_contain_many(keys, answers);
    });
}

std::uint64_t ask_file(const query_options& options, key_reader& reader) {
    const mapped_filter filter =
        open_filter(options.filter, options.is_trusted ? checksum::trust : checksum::verify);
    check_keys_fit(options.filter, filter.view(), options.source.format);
    return ask_all(options, reader, [&](std::span<const input_key>, answer_bits& answers) {
        return filter->may_contain_many(reader.hash_batch(filter->hash()), answers);
    });
}

exit_code perform_query(const query_options& options) {
    key_reader reader(options.source);
    const std::uint64_t present =
        options.target.address.empty() ? ask_file(options, reader) : ask_server(options, reader);
    const std::uint64_t absent = reader.keys_read() - present;
    if (options.is_json) {
        print_json(json{{"keys", reader.keys_read()}, {"present", present}, {"absent", absent}});
    } else if (options.is_counting) {
        out().print("{}\n", options.is_inverted ? absent : present);
    }
    return (options.is_inverted ? absent : present) != 0 ? exit_code::done : exit_code::none;
}

}  // namespace

void add_query_command(CLI::App& app, action& run) {
    add_command<query_options>(app, run, "query", "Print the keys that may be in a filter", declare_query,
                               perform_query);
}

}  // namespace membrane::cli
