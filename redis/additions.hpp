// Adding keys to a chain in one command: grows it when it is full, and tells replicas what happened.
//
// A command that only added is replicated as it came; so is one with a single key, behind the link that it needed. Where the
// chain grew among several keys, or a key was refused, the keys that were stored are replicated instead, with each new link
// at its place between them: a replica has no limits of its own and would otherwise store what was refused here.
#pragma once

#include <vector>

#include "chain_making.hpp"

namespace membrane::redis {

enum class command_keys : bool { one, several };

class additions {
public:
    additions(const request& asked, filter_chain& chain, command_keys keys)
        : asked_(asked), chain_(chain), keys_(keys) {}

    // Throws command_error if there is no room; then this key is not stored, and those before it are.
    bool add(text* item) { return store(item, &filter_chain::add); }
    bool add_if_absent(text* item) { return store(item, &filter_chain::add_if_absent); }

    // Once, at the end: replicates and notifies if anything was stored.
    void finish(const char* event);

private:
    bool store(text* item, addition (filter_chain::*how)(key_hash) noexcept);
    void replicate_stored();

    const request& asked_;
    filter_chain& chain_;
    command_keys keys_;
    std::vector<text*> stored_;  // since the last link, of several
    bool is_changed_ = false;
    bool is_repeated_exactly_ = true;  // whether the command as it came has the same effect on a replica
};

}  // namespace membrane::redis
