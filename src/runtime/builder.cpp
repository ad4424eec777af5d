#include <membrane/runtime/builder.hpp>

#include <algorithm>

#include <membrane/base/checked_math.hpp>
#include <membrane/runtime/planner.hpp>

namespace membrane {

namespace {

// At once if they are in memory, one batch after the other from the disk.
result<void> insert_all(any_filter& filter, hash_spool& spool, std::uint64_t count,
                        const build_request& request) {
    const progress_report& progress = request.progress;
    if (const auto pieces = spool.in_memory()) {
        if (auto built = filter.build(hash_batches(*pieces), request.threads); !built) return built;
        if (progress && count != 0) progress(count, count);
        return {};
    }
    std::uint64_t done = 0;
    return spool.for_each_batch([&](std::span<const key_hash> batch) -> result<void> {
        if (filter.insert_many(batch) != batch.size()) return full_error(filter);
        done += batch.size();
        if (progress) progress(done, count);
        return {};
    });
}

// Progress counts keys of all rounds.
result<void> choose_together(any_filter& filter, hash_spool& spool, std::uint64_t count,
                             const build_request& request) {
    auto memory =
        aligned_buffer::zeroed(count * sizeof(key_hash));  // counted in working_bytes, which was checked
    if (!memory) return memory.error();
    auto* const hashes = reinterpret_cast<key_hash*>(memory->data());
    std::size_t at = 0;
    auto copied = spool.for_each_batch([&](std::span<const key_hash> batch) -> result<void> {
        std::copy(batch.begin(), batch.end(), hashes + at);
        at += batch.size();
        return {};
    });
    if (!copied) return copied;
    rounds_request rounds{.threads = request.threads};
    if (request.progress)
        rounds.progress = [&](std::uint64_t done, std::uint64_t total) {
            request.progress(done * count / total, count);
        };
    const auto report = filter.choose_together({hashes, at}, rounds);
    if (!report) return report.error();
    return {};
}

}  // namespace

bool chooses_together(const filter_spec& spec) {
    const kind_entry* const kind = find_entry(spec.kind);
    const offline_ops* const offline = kind == nullptr ? nullptr : kind->ops_for(spec).offline;
    return offline != nullptr && spec[offline->field] > 1;
}

std::optional<std::uint64_t> working_bytes(const filter_spec& spec, std::uint64_t keys) {
    const kind_entry& kind = *find_entry(spec.kind);
    const auto payload = kind.rules.payload_bytes(spec);
    if (!payload || !chooses_together(spec)) return payload;
    const auto scratch = kind.ops_for(spec).offline->scratch_bytes(spec, keys);
    const auto hashes = checked_multiply(keys, sizeof(key_hash));
    const auto beside = scratch && hashes ? checked_add(*scratch, *hashes) : std::nullopt;
    return beside ? checked_add(*payload, *beside) : std::nullopt;
}

result<any_filter> build_from(hash_spool& spool, const build_request& request) {
    const auto count = spool.finish();
    if (!count) return count.error();
    plan::requirement wanted = request.wanted;
    if (wanted.keys == 0) wanted.keys = *count;
    const auto chosen = choose(request.kind, request.given, wanted);
    if (!chosen) return chosen.error();
    const filter_spec* const spec = &chosen->spec;
    const auto needed = working_bytes(*spec, *count);
    if (!needed) return make_error(errc::size_overflow, "payload of this spec");
    if (*needed > request.max_bytes)
        return make_error(errc::too_large, "bytes to build the filter")
            .with_found(*needed)
            .with_range(0, request.max_bytes);
    if (request.announce)
        if (auto accepted = request.announce(*spec, *needed, chosen->why); !accepted) return accepted.error();
    auto filter = any_filter::create(*spec, request.hash, request.max_bytes);
    if (!filter) return filter.error();
    const auto filled = chooses_together(*spec) ? choose_together(*filter, spool, *count, request)
                                                : insert_all(*filter, spool, *count, request);
    if (!filled) return filled.error();
    return filter;
}

}  // namespace membrane
