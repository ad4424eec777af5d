#include <membrane/runtime/build.hpp>

#include <algorithm>

#include <membrane/base/checked_math.hpp>
#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/runtime/planner.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane {

namespace {

// All at once if the hashes are in memory, otherwise batch by batch from the temporary file.
result<void> insert_all(any_filter& filter, const hash_spool& spool, unsigned threads,
                        progress_report progress) {
    if (const auto pieces = spool.in_memory()) {
        if (auto built = filter.build(hash_batches(*pieces), threads); !built) return built;
        if (progress && spool.size() != 0) progress(spool.size(), spool.size());
        return {};
    }
    std::uint64_t done = 0;
    return spool.for_each_batch([&](std::span<const key_hash> batch) -> result<void> {
        if (filter.insert_many(batch) != batch.size()) return filter.refusal();
        done += batch.size();
        if (progress) progress(done, spool.size());
        return {};
    });
}

result<void> build_offline(any_filter& filter, const hash_spool& spool, unsigned threads,
                           progress_report progress) {
    // Part of working_bytes, which build_from compares with its limit; so this product does not overflow.
    auto memory = aligned_buffer::zeroed(spool.size() * sizeof(key_hash));
    if (!memory) return memory.error();
    auto* const hashes = reinterpret_cast<key_hash*>(memory->data());
    std::size_t at = 0;
    auto copied = spool.for_each_batch([&](std::span<const key_hash> batch) -> result<void> {
        std::copy(batch.begin(), batch.end(), hashes + at);
        at += batch.size();
        return {};
    });
    if (!copied) return copied;
    rounds_request rounds{.threads = threads};
    if (progress)  // the rounds report keys of all rounds together
        rounds.progress = [&](std::uint64_t done, std::uint64_t total) {
            progress(done * spool.size() / total, spool.size());
        };
    const auto report = filter.choose_together({hashes, at}, rounds);
    if (!report) return report.error();
    return {};
}

error payload_overflow() { return make_error(errc::size_overflow, "payload of this spec"); }

}  // namespace

bool is_built_offline(const filter_spec& spec) {
    const kind_entry* const kind = find_entry(spec.kind);
    const offline_ops* const offline = kind == nullptr ? nullptr : kind->ops_for(spec).offline;
    return offline != nullptr && spec[offline->field] > 1;
}

result<std::uint64_t> working_bytes(const filter_spec& spec, std::uint64_t keys) {
    const kind_entry& kind = *find_entry(spec.kind);
    const auto payload = kind.rules.payload_bytes(spec);
    if (!payload) return payload_overflow();
    if (!is_built_offline(spec)) return *payload;
    const auto scratch = kind.ops_for(spec).offline->scratch_bytes(spec, keys);
    const auto hashes = checked_multiply(keys, sizeof(key_hash));
    const auto beside = scratch && hashes ? checked_add(*scratch, *hashes) : std::nullopt;
    const auto all = beside ? checked_add(*payload, *beside) : std::nullopt;
    if (!all) return payload_overflow();
    return *all;
}

result<void> fill(any_filter& filter, const hash_spool& spool, unsigned threads, progress_report progress) {
    return is_built_offline(filter.spec()) ? build_offline(filter, spool, threads, progress)
                                           : insert_all(filter, spool, threads, progress);
}

result<any_filter> build_from(hash_spool& spool, const build_request& request, progress_report progress) {
    const auto keys = spool.finish();
    if (!keys) return keys.error();
    plan::requirement wanted = request.wanted;
    if (wanted.keys == 0) wanted.keys = *keys;
    const auto chosen = choose(request.kind, request.given, wanted);
    if (!chosen) return chosen.error();
    const auto needed = working_bytes(chosen->spec, *keys);
    if (!needed) return needed.error();
    if (*needed > request.max_bytes)
        return make_error(errc::too_large, "bytes to build the filter")
            .with_found(*needed)
            .with_range(0, request.max_bytes);
    auto filter = any_filter::create(chosen->spec, request.hash);
    if (!filter) return filter.error();
    if (auto filled = fill(*filter, spool, request.threads, progress); !filled) return filled.error();
    return filter;
}

}  // namespace membrane
