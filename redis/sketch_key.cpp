#include "sketch_key.hpp"

#include <optional>

#include "settings.hpp"

namespace membrane::redis {

namespace {

std::optional<hash_key> shared_key;

}  // namespace

result<hash_key> sketch_key() {
    if (settings.key) return *settings.key;
    if (shared_key) return *shared_key;
    const auto made = random_hash_key();
    if (made) shared_key = *made;
    return made;
}

void note_sketch_key(const filter_chain& chain) {
    if (chain.options().role == chain_role::counts && !shared_key) shared_key = chain.hash().key;
}

void note_sketch_key(const stored_value& value) {
    if (const auto* const chain = std::get_if<filter_chain>(&value)) note_sketch_key(*chain);
}

}  // namespace membrane::redis
