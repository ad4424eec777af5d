// Sketches are merged, which needs one hash key for all of them; other filters have a random key each. The key is the
// HASH-KEY setting; without one, that of the sketches that were loaded at the start or came from the primary; without
// those, a random one.
#pragma once

#include "stored_value.hpp"

namespace membrane::redis {

result<hash_key> sketch_key();
// A value that came from a saved file or the primary; never one that a client sent, who could choose the key.
void note_sketch_key(const stored_value& value);
void note_sketch_key(const filter_chain& chain);

}  // namespace membrane::redis
