// How many keys a filter holds. The count in its file is that of the insertions less the erasures; merging adds the counts up, so that keys
// of both filters count twice, and then the estimate from the payload is the better number.
#pragma once

#include <cstdint>
#include <string>

#include <membrane/runtime/any_view.hpp>

namespace membrane::cli {

// Whether the count must be off: it differs from the estimate by more than five standard deviations of the estimate.
bool is_count_off(const any_view& filter);

// The estimate if the count must be off or counts keys several times, otherwise the count.
std::uint64_t different_keys(const any_view& filter);

// The estimate, in whole keys.
std::string estimated_keys_text(const any_view& filter);

// "2 keys", or "about 612 keys, estimated (at most 1,000)".
std::string some_keys_text(const any_view& filter);
// "1,000", or "about 612 (the file counts 1,000: ...)".
std::string held_keys_text(const any_view& filter);

}  // namespace membrane::cli
