#include "kept_filter.hpp"

#include <cerrno>

#include "cli/input/filter_files.hpp"
#include "cli/print/failure.hpp"
#include "cli/print/numbers.hpp"

namespace membrane::cli {

namespace {

struct opened {
    std::optional<file_lock> lock;
    any_filter filter;
    bool is_new;
};

any_filter copy_of(const std::string& path) {
    return value_or_fail(path, any_filter::copy_of(open_filter(path).view()));
}

bool is_missing(const error& problem) {
    return problem.code == errc::io_error && problem.found == static_cast<std::uint64_t>(ENOENT);
}

opened open_or_make(const std::string& path, bool is_forced, const std::function<any_filter()>& make_new,
                    const file_permissions& permissions) {
    if (path == "-") fail(exit_code::usage, "standard input: a filter that is kept needs a file; name one");
    for (;;) {
        auto lock = file_lock::acquire(path);
        if (lock) {
            check_output(path, true);
            if (is_forced) return {std::move(*lock), make_new(), true};
            return {std::move(*lock), copy_of(path), false};
        }
        if (!is_missing(lock.error())) fail_about(path, lock.error());
        check_output(path, true);
        any_filter made = make_new();
        auto saved = save_and_lock(made, path, existing::keep, permissions);
        if (saved) return {std::move(*saved), std::move(made), true};
        // Another process may have made the file in the meantime.
        if (saved.error().code != errc::already_exists) fail_about(path, saved.error());
    }
}

}  // namespace

kept_filter::kept_filter(const std::string& path, bool is_forced, const std::function<any_filter()>& make_new,
                         const file_permissions& permissions)
    : path_(path), permissions_(permissions), filter_([&] {
          opened found = open_or_make(path, is_forced, make_new, permissions);
          lock_ = std::move(found.lock);
          is_new_ = found.is_new;
          return std::move(found.filter);
      }()) {}

void kept_filter::save() {
    check_or_fail(path_, filter_.settle());
    lock_ = value_or_fail(path_, save_and_lock(filter_, path_, existing::replace, permissions_));
}

std::optional<save_schedule> save_schedule::parse(std::string_view text) {
    constexpr struct {
        std::string_view name;
        double milliseconds;
    } units[] = {{"s", 1000}, {"min", 60'000}, {"h", 3'600'000}};
    for (const auto& unit : units) {
        if (!text.ends_with(unit.name)) continue;
        const auto number = parse_positive(text.substr(0, text.size() - unit.name.size()));
        constexpr double most_ms = 1e12;
        if (!number || *number * unit.milliseconds > most_ms || *number * unit.milliseconds < 1)
            return std::nullopt;
        return save_schedule{
            {}, std::chrono::milliseconds(static_cast<std::int64_t>(*number * unit.milliseconds))};
    }
    const auto keys = parse_count(text);
    if (!keys || *keys == 0) return std::nullopt;
    return save_schedule{keys, {}};
}

}  // namespace membrane::cli
