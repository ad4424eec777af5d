// Opens, checks and replaces filter files for the commands, with the tool's messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/mapped_filter.hpp>
#include <membrane/runtime/save.hpp>

#include "key_source.hpp"

namespace membrane::cli {

mapped_filter open_filter(const std::string& path, checksum payload_check = checksum::verify);

// Fails unless the filter's hash can hash keys of this format.
void check_keys_fit(const std::string& path, const any_view& filter, key_format format);

// Fails early, before any work, if the output cannot be written.
void check_output(const std::string& path, bool is_forced);

// Fails if the output is one of the inputs.
void check_not_an_input(const std::string& output, const std::vector<std::string>& inputs);

// Locks an existing output that will be replaced, and waits for other writers; returns nothing if there is no such file.
std::optional<file_lock> lock_existing(const std::string& path, bool is_forced);

// Writes the output atomically. The caller holds the lock of a file that is replaced.
void save_new(const any_view& filter, const std::string& path, bool is_forced);

// A file to be changed: locked before it is read until it is replaced.
class edited_filter {
public:
    explicit edited_filter(const std::string& path);

    any_filter& filter() noexcept { return filter_; }
    void save();

private:
    std::string path_;
    file_lock lock_;
    any_filter filter_;
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

void warn_if_over_capacity(const std::string& path, const any_view& filter);

}  // namespace membrane::cli
