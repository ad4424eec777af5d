#include "filter_files.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include <membrane/format/encode.hpp>

#include "cli/print/failure.hpp"
#include "cli/print/key_count.hpp"
#include "cli/print/numbers.hpp"
#include "cli/print/output.hpp"

namespace membrane::cli {

namespace {

any_filter copy_or_fail(const std::string& path) {
    const mapped_filter mapped = open_filter(path);
    return value_or_fail(path, any_filter::copy_of(mapped.view()));
}

}  // namespace

std::uint64_t memory_bytes() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long page_bytes = ::sysconf(_SC_PAGESIZE);
    std::uint64_t bytes = pages > 0 && page_bytes > 0
                              ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
                              : UINT64_MAX;
    // A container may allow less than the machine has; "max" means no limit.
    for (const char* const path :
         {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::uint64_t bound = 0;
        if (std::ifstream file(path); file >> bound && bound != 0) bytes = std::min(bytes, bound);
    }
    return bytes;
}

namespace {

constexpr char standard_stream[] = "-";

// A file that holds what a pipe on standard input holds, without a name on any disk.
int copy_of_input() {
    const int copy = ::memfd_create("membrane", MFD_CLOEXEC);
    if (copy < 0) fail_errno("standard input", "copy to memory", errno);
    std::vector<char> part(std::size_t{1} << 16);
    for (;;) {
        const ssize_t got = ::read(STDIN_FILENO, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_errno("standard input", "read", errno);
        if (got == 0) return copy;
        for (ssize_t done = 0; done < got;) {
            const ssize_t written = ::write(copy, part.data() + done, static_cast<std::size_t>(got - done));
            if (written < 0) fail_errno("standard input", "copy to memory", errno);
            done += written;
        }
    }
}

}  // namespace

std::string mappable(const std::string& path) {
    if (path != standard_stream) return path;
    struct stat status {};
    if (::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode)) return "/proc/self/fd/0";
    static const int copy = copy_of_input();
    return fmt::format("/proc/self/fd/{}", copy);
}

std::string_view shown_name(const std::string& path) {
    return path == standard_stream ? std::string_view("standard input") : std::string_view(path);
}

std::string_view shown_output(const std::string& path) {
    return path == standard_stream ? std::string_view("standard output") : std::string_view(path);
}

mapped_filter open_filter(const std::string& path, checksum payload_check) {
    return value_or_fail(shown_name(path), mapped_filter::try_open(mappable(path), payload_check));
}

mapped_file open_bytes(const std::string& path) {
    return value_or_fail(shown_name(path), mapped_file::open(mappable(path)));
}

void check_one_reads_input(const std::vector<std::string>& filters,
                           const std::vector<std::string>& key_files) {
    const auto times = std::count(filters.begin(), filters.end(), standard_stream) +
                       std::count(key_files.begin(), key_files.end(), standard_stream) +
                       (key_files.empty() ? 1 : 0);
    if (times > 1 && std::count(filters.begin(), filters.end(), standard_stream) != 0)
        fail(exit_code::usage,
             "standard input: cannot be read twice; name a file for the filter or for the keys");
}

void check_keys_fit(const std::string& path, const any_view& filter, key_format format) {
    if (filter.hash().id == hash_id::mix && format != key_format::u64)
        fail(exit_code::usage,
             fmt::format("{}: holds 64-bit integers (hash mix); give the keys with --format u64",
                         shown_name(path)));
    if (filter.hash().id == hash_id::precomputed)
        fail(exit_code::usage,
             fmt::format("{}: holds hashes that a program computed (hash precomputed); only that program can "
                         "compute them from keys",
                         shown_name(path)));
}

void check_output(const std::string& path, bool is_forced) {
    if (path.empty()) fail(exit_code::usage, "--output: the name is empty");
    if (path == standard_stream) {
        if (::isatty(STDOUT_FILENO) == 1)
            fail(exit_code::usage, "--output: standard output is a terminal, and the file is not text");
        return;
    }
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
        if (!is_forced) fail(exit_code::refused, fmt::format("{}: exists; use --force to replace it", path));
        if (S_ISDIR(status.st_mode)) fail_errno(path, "replace", EISDIR);
        if (!S_ISREG(status.st_mode))
            fail(exit_code::io,
                 fmt::format("{}: is not a regular file; a filter replaces its file as a whole", path));
    } else if (errno != ENOENT) {
        fail_errno(path, "write", errno);
    }
    const std::size_t slash = path.find_last_of('/');
    const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    if (slash == path.size() - 1) fail_errno(path, "write", EISDIR);
    if (::access(directory.c_str(), W_OK | X_OK) != 0) fail_errno(path, "write into its directory", errno);
}

void check_json_output(bool is_json, const std::string& path, std::string_view option) {
    if (is_json && path == standard_stream)
        fail(exit_code::usage,
             fmt::format("--json: standard output is already the file; give {} a name", option));
}

void check_not_an_input(const std::string& output, const std::vector<std::string>& inputs) {
    struct stat made {
    }, used{};
    if (::stat(output.c_str(), &made) != 0) return;
    for (const std::string& input : inputs)
        if (::stat(input.c_str(), &used) == 0 && made.st_dev == used.st_dev && made.st_ino == used.st_ino)
            fail(exit_code::usage,
                 fmt::format("{}: is the input and the output; give --output another name", output));
}

std::optional<file_lock> lock_existing(const std::string& path, bool is_forced) {
    if (path == standard_stream || !is_forced || ::access(path.c_str(), F_OK) != 0) return std::nullopt;
    auto lock = file_lock::acquire(path);
    if (lock) return std::optional<file_lock>(std::move(*lock));
    // Another process may have removed the file: then nothing needs the lock.
    if (lock.error().found != static_cast<std::uint64_t>(ENOENT)) fail_about(path, lock.error());
    return std::nullopt;
}

namespace {

void write_bytes(std::span<const std::byte> bytes) {
    out().write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

file_permissions permissions_with_key(const std::optional<unsigned>& mode, bool is_key_random) {
    if (mode) return {*mode, true};
    return {is_key_random ? 0600u : 0666u, false};
}

file_permissions permissions_like(const std::optional<unsigned>& mode,
                                  const std::vector<std::string>& inputs) {
    if (mode) return {*mode, true};
    file_permissions common;
    for (const std::string& input : inputs) {
        struct stat status {};
        const bool is_known = input == standard_stream
                                  ? ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode)
                                  : ::stat(input.c_str(), &status) == 0;
        common.bits &= is_known ? status.st_mode : 0600;
    }
    return common;
}

void save_new(const any_view& filter, const std::string& path, bool is_forced,
              const file_permissions& permissions) {
    if (path == standard_stream) {
        if (filter.payload().data() == nullptr)
            return save_new(value_or_fail(path, any_filter::copy_of(filter)), path, is_forced, permissions);
        const file_view file = filter.as_file();
        write_bytes(encode_header(file, payload_checksum(file.payload)));
        write_bytes(file.payload);
        return;
    }
    check_or_fail(path, save(filter, path, is_forced ? existing::replace : existing::keep, permissions));
}

void save_new_bytes(std::span<const std::byte> bytes, const std::string& path, bool is_forced,
                    const file_permissions& permissions) {
    if (path == standard_stream) return write_bytes(bytes);
    check_or_fail(path, save_bytes(bytes, path, is_forced ? existing::replace : existing::keep, permissions));
}

namespace {

std::optional<file_lock> lock_of(const std::string& path, const std::string& output, bool is_forced) {
    if (output.empty()) return value_or_fail(path, file_lock::acquire(path));
    check_output(output, is_forced);
    check_not_an_input(output, {path});
    return lock_existing(output, is_forced);
}

}  // namespace

namespace {

const std::string& changeable(const std::string& path, std::string_view advice) {
    if (path == standard_stream)
        fail(exit_code::usage,
             fmt::format("standard input: the filter is replaced in its file, which a pipe has not; {}",
                         advice));
    return path;
}

}  // namespace

edited_filter::edited_filter(const std::string& path)
    : edited_filter(changeable(path, "name a file"), {}, false, {}) {}

edited_filter::edited_filter(const std::string& path, const std::string& output, bool is_forced,
                             const std::optional<unsigned>& mode)
    : is_in_place_(output.empty()),
      path_(output.empty() ? path : output),
      lock_(lock_of(output.empty() ? changeable(path, "name a file, or give --output") : path, output,
                    is_forced)),
      filter_(copy_or_fail(path)),
      what_is_there_(output.empty() || is_forced ? existing::replace : existing::keep),
      permissions_(permissions_like(mode, {path})) {
    if (is_in_place_) check_output(path, true);
}

void edited_filter::save() {
    check_or_fail(path_, filter_.settle());
    save_new(filter_, path_, what_is_there_ == existing::replace, permissions_);
}

size_limit limit_of(const std::optional<std::uint64_t>& max_bytes) {
    if (max_bytes) return {*max_bytes, true};
    return {memory_bytes(), false};
}

void check_working_memory(std::uint64_t needed, const size_limit& limit) {
    if (needed <= limit.bytes) return;
    fail(limit.is_given ? exit_code::refused : exit_code::io,
         fmt::format(
             "offline construction needs {} ({} bytes) of memory, {} are {} ({}); raise --max-bytes, or "
             "take rounds=1",
             bytes_text(needed), needed, limit.is_given ? "allowed" : "available", bytes_text(limit.bytes),
             limit.bytes));
}

std::uint64_t checked_size(const filter_spec& spec, const size_limit& limit) {
    const auto needed = find_entry(spec.kind)->rules.payload_bytes(spec);
    if (!needed)
        fail(exit_code::usage,
             "the size of the filter does not fit into 64 bits; ask for fewer keys or a larger rate");
    if (*needed <= limit.bytes) return *needed;
    if (limit.is_given)
        fail(exit_code::refused,
             fmt::format(
                 "the filter needs {} ({} bytes), allowed are {} ({}); raise --max-bytes, or ask for fewer "
                 "keys or a larger rate",
                 bytes_text(*needed), *needed, bytes_text(limit.bytes), limit.bytes));
    fail(exit_code::io,
         fmt::format(
             "out of memory: the filter needs {} ({} bytes), this machine has {}; ask for fewer keys or a "
             "larger rate",
             bytes_text(*needed), *needed, bytes_text(limit.bytes)));
}

std::string growth_text(const any_view& filter) {
    if (filter.universe() == 0) return {};
    if (filter.promised_keys() == 0) return "it grows";
    return fmt::format("it grows: the rate is kept up to {} keys", count_text(filter.promised_keys()));
}

void warn_if_over_capacity(const std::string& path, const any_view& filter) {
    const std::uint64_t keys = different_keys(filter);
    if (!filter.is_over_capacity() || keys <= filter.promised_keys()) return;
    say(fmt::format("{}: holds {} keys, its rate was planned for {}: the false positive rate is now about {}",
                    shown_output(path), count_text(keys), count_text(filter.promised_keys()),
                    rate_text(filter.estimated_fpr_now())));
}

}  // namespace membrane::cli
