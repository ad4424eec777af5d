// Commands that are the same in several families: lookups, and values in chunks. SCANDUMP and LOADCHUNK transfer stacks, DUMP
// and LOAD .mbr files.
//
// The iterator of a chunk is the offset of its end plus one; iterator 0 requests the first chunk, and is the reply after the
// last. An iterator therefore has the position of its chunk, and a chunk that was lost or sent twice is refused.
#pragma once

#include <optional>

#include "command.hpp"
#include "filter_stack.hpp"

namespace membrane::redis {

// Without a role: a stack of any family.
using optional_role = std::optional<stack_role>;

void reply_exists(const command_call& call, stack_role role);          // EXISTS key item
void reply_mexists(const command_call& call, optional_role role);      // MEXISTS key item...
void reply_image_chunk(const command_call& call, optional_role role);  // SCANDUMP key iterator
void load_image_chunk(const command_call& call, optional_role role);   // LOADCHUNK key iterator bytes
void reply_file_chunk(const command_call& call);                       // DUMP key iterator [LINK i]
void load_file_chunk(const command_call& call);                        // LOAD key iterator bytes

}  // namespace membrane::redis
