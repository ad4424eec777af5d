// Values out of the server and into it in chunks: SCANDUMP and LOADCHUNK move chains, DUMP and LOAD .mbr files.
//
// The number that a chunk comes with is one more than the place of its end, 0 asks for the first and tells that there are
// no more: so a chunk knows where it belongs, and one that was lost or sent twice is refused.
#pragma once

#include <optional>

#include "keys.hpp"

namespace membrane::redis {

// Without a role: any.
void reply_image_part(const request& asked, std::optional<chain_role> role);
void take_image_part(const request& asked, std::optional<chain_role> role);

void reply_file_part(const request& asked);  // DUMP key iterator [LINK i]
void take_file_part(const request& asked);   // LOAD key iterator bytes

}  // namespace membrane::redis
