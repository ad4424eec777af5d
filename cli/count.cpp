// membrane count: what its three commands share.
#include "count_commands.hpp"

#include <fmt/format.h>

#include <membrane/base/endian.hpp>

#include "report.hpp"

namespace membrane::cli {

void add_count_command(CLI::App& app, action& run) {
    CLI::App* const count = app.add_subcommand("count", "Count keys: how often was each seen (count-min)?");
    count->group(command_group);
    count->require_subcommand(1);
    add_count_build_command(*count, run);
    add_count_query_command(*count, run);
    add_count_top_command(*count, run);
    set_examples(*count, {"printf 'a\\nb\\na\\n' | membrane count build -q -o abc.mbr && printf 'a\\nz\\n' | "
                          "membrane count query abc.mbr",
                          "seq 1 100 | cut -c1 | membrane count build -q -o digits.mbr && membrane count top "
                          "digits.mbr -n 3"});
}

mapped_filter open_counting_filter(const std::string& path) {
    mapped_filter filter = open_filter(path);
    if (!capabilities_of(filter->spec()).count)
        fail(exit_code::usage, fmt::format("{}: does not count ({}); make it with `membrane count build`",
                                           path, filter->kind().rules.name));
    return filter;
}

std::string key_text(std::string_view bytes, key_format format) {
    if (format == key_format::u64 && bytes.size() == sizeof(std::uint64_t))
        return std::to_string(load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(bytes.data())));
    if (format != key_format::hex && format != key_format::u64) return std::string(bytes);
    std::string digits;
    for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return digits;
}

}  // namespace membrane::cli
