#include <membrane/runtime/builder.hpp>

#include <algorithm>

#include <membrane/runtime/planner.hpp>

namespace membrane {

result<any_filter> build_from(hash_spool& spool, const build_request& request) {
    const auto count = spool.finish();
    if (!count) return count.error();
    plan::requirement wanted = request.wanted;
    if (wanted.keys == 0) wanted.keys = *count;
    const auto chosen = choose(request.kind, request.given, wanted);
    if (!chosen) return chosen.error();
    const filter_spec* const spec = &chosen->spec;
    if (request.announce) {
        const auto size = find_entry(spec->kind)->rules.payload_bytes(*spec);
        if (!size) return make_error(errc::size_overflow, "payload of this spec");
        if (auto accepted = request.announce(*spec, *size, chosen->why); !accepted) return accepted.error();
    }
    auto filter = any_filter::create(*spec, request.hash, request.max_bytes);
    if (!filter) return filter.error();
    std::uint64_t done = 0;
    const auto filled = spool.for_each_batch([&](std::span<const key_hash> batch) -> result<void> {
        if (filter->insert_many(batch) != batch.size())
            return make_error(errc::full, "filter")
                .with_found(filter->keys())
                .with_note("plan for more keys");
        done += batch.size();
        if (request.progress) request.progress(done, *count);
        return {};
    });
    if (!filled) return filled.error();
    return filter;
}

}  // namespace membrane
