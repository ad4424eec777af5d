// membrane count query: "count<TAB>key" for every key read, the count first as in `uniq -c`.
#include "count_commands.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace membrane::cli {

namespace {

struct count_query_options {
    std::string filter;
    key_source source;
};

void declare_count_query(CLI::App& command, count_query_options& options) {
    add_filter(command, options.filter, "A file that `membrane count build` made");
    add_key_files(command, options.source);
    set_examples(command, {"printf 'a\\nb\\na\\n' | membrane count build -q -o abc.mbr && printf 'a\\nz\\n' "
                           "| membrane count query abc.mbr",
                           "seq 1 100 | cut -c1 | membrane count build -q -o digits.mbr && seq 1 9 | "
                           "membrane count query digits.mbr"});
}

exit_code perform_count_query(const count_query_options& options) {
    const mapped_filter filter = open_counting_filter(options.filter);
    check_keys_fit(options.filter, filter.view(), options.source.format);
    key_reader reader(options.source);
    progress bar("asking", reader.total_bytes(), false);
    const std::string_view end = options.source.format == key_format::u64 ? "\n" : reader.record_end();
    bool is_any_counted = false;
    for (auto batch = reader.next_batch(filter->hash()); !batch.keys.empty();
         batch = reader.next_batch(filter->hash())) {
        for (std::size_t i = 0; i < batch.keys.size(); ++i) {
            const std::uint64_t count = value_or_fail(options.filter, filter->estimate(batch.hashes[i]));
            is_any_counted = is_any_counted || count != 0;
            out().print("{}\t", count);
            if (options.source.format == key_format::u64)
                out().write(key_text(batch.keys[i].bytes, key_format::u64));
            else out().write(batch.keys[i].record);
            out().write(end);
        }
        bar.update(reader);
    }
    return is_any_counted ? exit_code::done : exit_code::none;
}

}  // namespace

void add_count_query_command(CLI::App& app, action& run) {
    add_command<count_query_options>(app, run, "query", "Print the estimated count of each key",
                                     declare_count_query, perform_count_query);
}

}  // namespace membrane::cli
