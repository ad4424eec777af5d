// The newest link of a chain as words of a command, `LINK key ...`, and back: how replicas and the AOF learn of links.
//
//   LINK key role error_rate expansion first_keys bucket_size max_iterations has_given_kind
//        hash hash_key kind:field=value,... planned_keys planned_fpr
#pragma once

#include "command.hpp"
#include "filter_chain.hpp"

namespace membrane::redis {

inline constexpr int link_command_words = 14;

void replicate_link(context* ctx, text* key, const filter_chain& chain);

struct link_request {
    chain_options options;
    hasher hash;
    filter_spec spec;
};
// Ends the command if a word is wrong.
link_request read_link(const request& asked);

}  // namespace membrane::redis
