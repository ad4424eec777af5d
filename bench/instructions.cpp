#include "instructions.hpp"

#include <cstdio>

#include "rows.hpp"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

namespace bench {

#if defined(CALLGRIND_DUMP_STATS_AT)

namespace {

void mark(subject& what, column which, const key_set& keys) {
    if (!what.can(which) || keys.size() == 0) return;
    const std::string label = what.name() + "|" + column_names[which] + "|" + std::to_string(keys.size());
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    keep(what.perform(which, keys));
    CALLGRIND_DUMP_STATS_AT(label.c_str());
    CALLGRIND_STOP_INSTRUMENTATION;
}

void mark_row(subject& what, const key_supply& supply, const asked_keys& asked,
              const membrane::hasher& hash) {
    const std::uint64_t all = supply.members();
    const auto part = [&](std::uint64_t first, std::uint64_t last) {
        key_set keys;
        for (std::uint64_t i = first; i < last; ++i) supply.add_member(i, keys);
        keys.prepare(hash);
        return keys;
    };
    const key_set early = part(0, nine_tenths(all)), late = part(nine_tenths(all), all);
    if (what.can(insert_one)) {
        what.clear();
        mark(what, what.can(insert_batch) ? insert_batch : insert_one, early);
        mark(what, insert_one, late);
        mark(what, erase_one, late);
        if (what.can(erase_one)) what.perform(insert_batch, late);
        mark(what, erase_batch, late);
        if (what.can(erase_batch)) what.perform(insert_batch, late);
    } else {
        filling untimed;
        what.fill(supply, {}, untimed);
    }
    for (const column which : {hit_one, miss_one, hit_batch, miss_batch})
        mark(what, which, asks_members(which) ? asked.members : asked.strangers);
}

}  // namespace

int mark_instructions(const options& chosen, const membrane::hasher& hash) {
    if (!RUNNING_ON_VALGRIND) {
        std::fprintf(stderr,
                     "bench: --instructions counts under valgrind only; run ./dev bench --instructions\n");
        return 2;
    }
    for (const std::uint64_t keys : chosen.sizes)
        for (const double fpr : chosen.rates) {
            const made_keys supply(keys);
            const asked_keys asked(supply, hash, keys);
            for (const auto& each : make_subjects(keys, fpr, hash, chosen.only))
                mark_row(*each, supply, asked, hash);
        }
    return 0;
}

#else

int mark_instructions(const options&, const membrane::hasher&) {
    std::fprintf(stderr, "bench: built without valgrind/callgrind.h (Debian: valgrind)\n");
    return 2;
}

#endif

}  // namespace bench
