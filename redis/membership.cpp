#include "membership.hpp"

#include <vector>

#include <membrane/part/batch.hpp>

namespace membrane::redis {

void reply_exists(const request& asked, chain_role role) {
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain* const chain = key.chain(role);
    reply_bool(asked.ctx, chain != nullptr && chain->may_contain(chain->hash()(asked.word(2))));
}

void reply_mexists(const request& asked, std::optional<chain_role> role) {
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain* const chain = role ? key.chain(*role) : key.chain();
    const auto items = asked.from(2);
    std::vector<std::uint64_t> answers(bitmap_words(items.size())), scratch(answers.size());
    if (chain != nullptr) {
        const hasher& hash = chain->hash();
        std::vector<key_hash> hashes(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) hashes[i] = hash(view_of(items[i]));
        chain->may_contain_many(hashes, answers, scratch);
    }
    server.reply_array(asked.ctx, static_cast<long>(items.size()));
    for (std::size_t i = 0; i < items.size(); ++i)
        reply_bool(asked.ctx, (answers[i / 64] >> (i % 64) & 1) != 0);
}

}  // namespace membrane::redis
