// Opens, checks and replaces filter files for the commands, with the tool's messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/mapped_filter.hpp>
#include <membrane/runtime/save.hpp>

#include "key_source.hpp"
#include "report/filter_info.hpp"

namespace membrane::cli {

// "-" is standard input, whatever it is: a pipe is copied to memory.
mapped_filter open_filter(const std::string& path, checksum payload_check = checksum::verify);
mapped_file open_bytes(const std::string& path);

// The name of a file that can be mapped, and the name that messages give it.
std::string mappable(const std::string& path);
std::string_view shown_name(const std::string& path);
// The same for what is written.
std::string_view shown_output(const std::string& path);

// Fails if standard input is named more than once, or also read for keys because no file of keys is named.
void check_one_reads_input(const std::vector<std::string>& filters,
                           const std::vector<std::string>& key_files);

// Fails unless the filter's hash can hash keys of this format.
void check_keys_fit(const std::string& path, const any_view& filter, key_format format);

// Fails early, before any work, if the output cannot be written. "-" is standard output, which must not be a terminal.
void check_output(const std::string& path, bool is_forced);

// Fails if standard output would get both JSON and the file.
void check_json_output(bool is_json, const std::string& path, std::string_view option = "--output");

// Fails if the output is one of the inputs.
void check_not_an_input(const std::string& output, const std::vector<std::string>& inputs);

// Locks an existing output that will be replaced, and waits for other writers; returns nothing if there is no such file.
std::optional<file_lock> lock_existing(const std::string& path, bool is_forced);

// The permissions of a file with a hash key: who can read a random key can choose keys that collide. One that was given is not secret.
file_permissions permissions_with_key(const std::optional<unsigned>& mode, bool is_key_random);
// Those of a file made of others: who may not read these may not read it.
file_permissions permissions_like(const std::optional<unsigned>& mode,
                                  const std::vector<std::string>& inputs);

// Writes the output atomically. The caller holds the lock of a file that is replaced.
void save_new(const any_view& filter, const std::string& path, bool is_forced,
              const file_permissions& permissions);
// The same for bytes that are not a filter.
void save_new_bytes(std::span<const std::byte> bytes, const std::string& path, bool is_forced,
                    const file_permissions& permissions);

// A file to be changed: locked before it is read until it is replaced. The change may go to another file instead, and the first is
// then left as it is.
class edited_filter {
public:
    // The file itself is replaced.
    explicit edited_filter(const std::string& path);
    // Also if `output` is empty.
    edited_filter(const std::string& path, const std::string& output, bool is_forced,
                  const std::optional<unsigned>& mode);

    any_filter& filter() noexcept { return filter_; }
    // The file that save() writes.
    const std::string& path() const noexcept { return path_; }
    bool is_in_place() const noexcept { return is_in_place_; }
    void save();

private:
    bool is_in_place_;
    std::string path_;
    std::optional<file_lock> lock_;
    any_filter filter_;
    existing what_is_there_;
    file_permissions permissions_;
};

// The memory of the machine, or the limit of the container.
std::uint64_t memory_bytes();

// The largest size of a filter: the user's limit, or the memory of the machine.
struct size_limit {
    std::uint64_t bytes;
    bool is_given;
};
size_limit limit_of(const std::optional<std::uint64_t>& max_bytes);
// Returns the size of the filter. Fails if it is above the limit.
std::uint64_t checked_size(const filter_spec& spec, const size_limit& limit);
// Fails if offline construction needs more memory than the limit.
void check_working_memory(std::uint64_t needed, const size_limit& limit);

using report::bits_per_key;

// "it grows: the rate is kept up to 1,000,000 keys"; empty for kinds that do not.
std::string growth_text(const any_view& filter);

void warn_if_over_capacity(const std::string& path, const any_view& filter);

}  // namespace membrane::cli
