#include <membrane/filter/concurrent_filter.hpp>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/kind/balanced_rank/sizing.hpp>
#include <membrane/kind/blocked_bloom/sizing.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane {

namespace {

result<std::unique_ptr<concurrent_engine>> engine_of(const filter_spec& spec, result<aligned_buffer> payload,
                                                     const growth_policy& policy, std::uint64_t keys) {
    const concurrent_ops* const ops = find_entry(spec.kind)->ops_for(spec).concurrent;
    if (ops == nullptr)
        return make_error(errc::not_supported, "many threads")
            .with_note("take balanced_rank, growable or erasable, or blocked_bloom");
    if (!payload) return payload.error();
    return ops->make(spec, std::move(*payload), policy, keys);
}

}  // namespace

result<concurrent_filter> concurrent_filter::create(std::uint64_t keys, double fpr,
                                                    const filter_options& options) {
    if (options.fixed && (options.erasable || options.grow_to != 0))
        return make_error(errc::not_supported, "fixed")
            .with_note("for many threads it means blocked_bloom, which neither grows nor erases");
    const auto spec = options.fixed
                          ? blocked_bloom_spec_for(keys, fpr)
                          : balanced_rank_numbers_spec_for(options.erasable ? balanced_rank_form::erasable
                                                                            : balanced_rank_form::growable,
                                                           keys, fpr, options.grow_to);
    if (!spec) return spec.error();
    return try_create(*spec, options);
}

result<concurrent_filter> concurrent_filter::try_create(const filter_spec& spec,
                                                        const filter_options& options) {
    const kind_entry* const entry = find_entry(spec.kind);
    if (entry == nullptr) return make_error(errc::unknown_kind, "kind");
    if (auto checked = entry->rules.check_spec(spec); !checked) return checked.error();
    const auto size = entry->rules.payload_bytes(spec);
    if (!size) return make_error(errc::size_overflow, "payload of this spec");
    if (*size > options.max_bytes)
        return make_error(errc::too_large, "filter bytes").with_found(*size).with_range(0, options.max_bytes);
    const auto hash = options.hash ? result<hasher>(*options.hash) : random_hasher();
    if (!hash) return hash.error();
    return of_engine(*hash,
                     engine_of(spec, aligned_buffer::zeroed(*size), {.max_bytes = options.max_bytes}, 0));
}

result<concurrent_filter> concurrent_filter::from_file(const payload_file& file) {
    return of_engine(file.hash, engine_of(file.spec, aligned_buffer::copy_of(file.payload), {}, file.keys));
}

std::string_view concurrent_filter::kind() const noexcept { return find_entry(spec().kind)->rules.name; }

result<filter> concurrent_filter::try_snapshot() const {
    // By way of a file in memory: the one decoder checks what becomes a filter.
    const auto bytes = try_to_bytes();
    if (!bytes) return bytes.error();
    return filter::try_from_bytes(*bytes);
}

}  // namespace membrane
