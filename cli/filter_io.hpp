// Opening, checking and replacing filter files for the commands, with the tool's messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/mapped_filter.hpp>
#include <membrane/runtime/save.hpp>

#include "key_reader.hpp"

namespace membrane::cli {

mapped_filter open_filter(const std::string& path, checksum payload_check = checksum::verify);

// Fails unless the filter can be asked for keys of this format.
void check_keys_fit(const std::string& path, const any_view& filter, key_format format);

// Fails, before any work is done, if the output could not be written afterwards.
void check_output(const std::string& path, bool is_forced);

// Fails if the output would replace one of the files that it is made from.
void check_not_an_input(const std::string& output, const std::vector<std::string>& inputs);

// The right to replace an existing output; nothing to hold if there is none. Waits for another writer of the file.
std::optional<file_lock> lock_existing(const std::string& path, bool is_forced);

// Makes the output appear whole. Whoever replaces a file holds its lock.
void save_new(const any_view& filter, const std::string& path, bool is_forced);

// An existing file that is changed: locked from before it is read until the new one has taken its place.
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

// What the machine has, or what a container lets us use of it.
std::uint64_t memory_bytes();

// The most bytes that a filter may take: what the user allows, or the memory of the machine.
struct size_limit {
    std::uint64_t bytes;
    bool is_given;
};
size_limit limit_of(const std::optional<std::uint64_t>& max_bytes);
// Fails if the spec needs more; otherwise the bytes that it needs.
std::uint64_t checked_size(const filter_spec& spec, const size_limit& limit);
// Ends the program if building takes more memory than that.
void check_working_memory(std::uint64_t needed, const size_limit& limit);

void warn_if_over_capacity(const std::string& path, const any_view& filter);

}  // namespace membrane::cli
