// membrane query: prints the keys that may be present, as grep prints lines.
#include <array>
#include <span>

#include "cli/input/filter_files.hpp"
#include "cli/input/key_pipeline.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/options.hpp"
#include "cli/print/json.hpp"
#include "cli/print/output.hpp"
#include "cli/print/progress.hpp"
#include "cli/remote/remote_filter.hpp"
#include "commands.hpp"

namespace membrane::cli {

namespace {

struct query_options {
    std::string filter;
    key_source source;
    bool is_inverted = false;
    bool is_counting = false;
    bool is_json = false;
    bool is_trusted = false;
    unsigned threads = 0;
    redis_target target;
};

void declare_query(const tool_command& command, query_options& options) {
    add_filter(command, options.filter,
               "The filter file, or with --redis the name of a filter on the server");
    add_key_files(command, options.source);
    command.flag("-v,--invert", options.is_inverted, "Print the keys that are certainly absent instead");
    const tool_option count =
        command.flag("-c,--count", options.is_counting, "Print only the number of these keys");
    add_json(command, options.is_json).needs(count);
    command.flag("--trust", options.is_trusted,
                 "Skip the check of the payload's checksum, which reads the whole file");
    add_threads(command, options.threads);
    add_redis(command, options.target);
    command.set_examples(
        {"seq 1 100 | membrane build -q -o seen.mbr && seq 90 200 | membrane query seen.mbr",
         "seq 1 5 | membrane build -q -o five.mbr && seq 1 10 | membrane query five.mbr --invert --count"});
}

using answer_bits = std::array<std::uint64_t, key_parser::batch_keys / 64>;

struct key_counts {
    std::uint64_t keys = 0;
    std::uint64_t present = 0;
};

// Appends the records of the keys to print.
void append_wanted(const query_options& options, std::span<const input_key> keys, const answer_bits& answers,
                   std::string& text) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool is_present = (answers[i / 64] >> (i % 64) & 1) != 0;
        if (is_present != options.is_inverted)
            text.append(keys[i].record).append(record_end_of(options.source.format));
    }
}

key_counts query_server(const query_options& options) {
    key_reader reader(options.source);
    remote_filter filter(options.target, options.filter);
    progress bar("looking up", reader.total_bytes(), false);
    answer_bits answers{};
    std::string text;
    std::uint64_t present = 0;
    for (auto keys = reader.next_batch(); !keys.empty(); keys = reader.next_batch()) {
        present += filter.may_contain_many(keys, answers);
        text.clear();
        if (!options.is_counting) append_wanted(options, keys, answers, text);
        out().write(text);
        bar.update(reader);
    }
    return {reader.keys_read(), present};
}

key_counts query_file(const query_options& options) {
    key_pipeline pipeline(options.source, options.threads);
    const mapped_filter filter =
        open_filter(options.filter, options.is_trusted ? checksum::trust : checksum::verify);
    check_keys_fit(options.filter, filter.view(), options.source.format);
    progress bar("looking up", pipeline.total_bytes(), false);
    std::uint64_t present = 0;
    struct worker {
        const query_options& options;
        const any_view& filter;
        key_pipeline& pipeline;
        progress& bar;
        std::uint64_t& present;
        answer_bits answers{};
        std::string text{};
        std::uint64_t present_in_block = 0;

        void process(key_parser& parser) {
            text.clear();
            present_in_block = 0;
            for (auto keys = parser.next_batch(); !keys.empty(); keys = parser.next_batch()) {
                present_in_block += filter.may_contain_many(parser.hash_batch(filter.hash()), answers);
                if (!options.is_counting) append_wanted(options, keys, answers, text);
            }
        }
        void commit() {
            present += present_in_block;
            out().write(text);
            bar.update(pipeline.bytes_read(), pipeline.keys_read());
        }
    };
    pipeline.run([&] { return worker{options, filter.view(), pipeline, bar, present}; });
    return {pipeline.keys_read(), present};
}

exit_code perform_query(const query_options& options) {
    const auto [keys, present] = options.target.address.empty() ? query_file(options) : query_server(options);
    const std::uint64_t absent = keys - present;
    if (options.is_json) {
        print_json(json{{"keys", keys}, {"present", present}, {"absent", absent}});
    } else if (options.is_counting) {
        out().print("{}\n", options.is_inverted ? absent : present);
    }
    return (options.is_inverted ? absent : present) != 0 ? exit_code::done : exit_code::none;
}

}  // namespace

void add_query_command(const tool_command& tool) {
    add_command<query_options>(tool, "query", "Print the keys that may be in a filter", declare_query,
                               perform_query);
}

}  // namespace membrane::cli
