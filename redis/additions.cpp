#include "additions.hpp"

#include "settings.hpp"

namespace membrane::redis {

bool additions::store(text* item, addition (filter_chain::*how)(key_hash) noexcept) {
    const key_hash hash = chain_.hash()(view_of(item));
    addition done = (chain_.*how)(hash);
    while (done == addition::full) {
        is_repeated_exactly_ = keys_ == command_keys::one;
        replicate_stored();
        grow_chain(asked_, chain_);
        done = (chain_.*how)(hash);
    }
    if (done == addition::present) return false;
    if (keys_ == command_keys::several) stored_.push_back(item);
    is_changed_ = true;
    return true;
}

void additions::replicate_stored() {
    if (stored_.empty()) return;
    if (chain_.options().role == chain_role::erasable)
        server.replicate(asked_.ctx, command_name("CF.INSERT").c_str(), "sccv", asked_.key(), "NOCREATE",
                         "ITEMS", stored_.data(), stored_.size());
    else
        server.replicate(asked_.ctx, command_name("BF.MADD").c_str(), "sv", asked_.key(), stored_.data(),
                         stored_.size());
    stored_.clear();
}

void additions::finish(const char* event) {
    if (!is_changed_) return;
    if (is_repeated_exactly_) server.replicate_verbatim(asked_.ctx);
    else replicate_stored();
    server.notify(asked_.ctx, module_event, event, asked_.key());
}

}  // namespace membrane::redis
