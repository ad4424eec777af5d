#include <membrane/runtime/any_filter.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/threads.hpp>
#include <membrane/format/encode.hpp>
#include <membrane/format/packed.hpp>
#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/kind/count_min/top_section.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane {

namespace {

result<std::uint64_t> checked_payload_bytes(const kind_entry& kind, const filter_spec& spec,
                                            std::uint64_t max_bytes) {
    if (auto checked = kind.rules.check_spec(spec); !checked) return checked.error();
    const auto needed = kind.rules.payload_bytes(spec);
    if (!needed) return make_error(errc::size_overflow, "payload of this spec");
    if (*needed > max_bytes)
        return make_error(errc::too_large, "filter bytes").with_found(*needed).with_range(0, max_bytes);
    return *needed;
}

}  // namespace

result<any_filter> any_filter::create(const filter_spec& spec, const hasher& hash, std::uint64_t max_bytes) {
    const kind_entry* const kind = find_entry(spec.kind);
    if (kind == nullptr)
        return make_error(errc::unknown_kind, "kind id").with_found(static_cast<std::uint32_t>(spec.kind));
    auto made = allocate(*kind, spec, hash, max_bytes);
    if (made) made->zero_keys_mean_zero_bytes_ = true;
    return made;
}

result<any_filter> any_filter::allocate(const kind_entry& kind, const filter_spec& spec, const hasher& hash,
                                        std::uint64_t max_bytes) {
    const auto size = checked_payload_bytes(kind, spec, max_bytes);
    if (!size) return size.error();
    auto buffer = aligned_buffer::zeroed(*size);
    if (!buffer) return buffer.error();
    any_filter made;
    made.adopt(kind, spec, hash, 0, std::move(*buffer));
    return made;
}

result<any_filter> any_filter::copy_of(const any_view& view, std::uint64_t max_bytes) {
    if (view.size_bytes() > max_bytes)
        return make_error(errc::too_large, "filter bytes")
            .with_found(view.size_bytes())
            .with_range(0, max_bytes);
    if (auto checked = view.check_payload(); !checked) return checked.error();
    auto buffer = aligned_buffer::copy_of(view.payload());
    if (!buffer) return buffer.error();
    any_filter made;
    made.adopt(view.kind(), view.spec(), view.hash(), view.keys(), std::move(*buffer));
    return made;
}

result<any_filter> any_filter::open_copy(std::span<const std::byte> file, std::uint64_t max_bytes) {
    const auto view = any_view::open(file);
    if (!view) return view.error();
    return copy_of(*view, max_bytes);
}

// The filter that the packed bytes describe, its payload checked as if it came from a file.
result<any_filter> any_filter::unpacked(const kind_entry& kind, const filter_spec& spec, const hasher& hash,
                                        std::uint64_t keys, std::span<const std::byte> packed,
                                        std::uint64_t max_bytes) {
    auto made = allocate(kind, spec, hash, max_bytes);
    if (!made) return made;
    if (auto done = made->ops_->packs->unpack(made->view_, packed); !done) return done.error();
    if (auto checked = made->ops_->check_payload(made->view_); !checked) return checked.error();
    made->keys_ = keys;
    return made;
}

result<any_filter> any_filter::unpack(std::span<const std::byte> packed, std::uint64_t max_bytes) {
    const auto opened = open_packed(packed, registered_rules());
    if (!opened) return opened.error();
    const file_view& filter = opened->header.filter;
    const kind_entry& kind = entry_of(*filter.kind);
    const kind_ops& ops = kind.ops_for(filter.spec);
    if (ops.packs == nullptr) return make_error(errc::not_supported, "unpack");
    // Memory is allocated only if there are enough bytes for a filter of this spec.
    if (const std::uint64_t least = ops.packs->least_bytes(filter.spec); opened->bytes.size() < least)
        return make_error(errc::truncated, "packed bytes")
            .with_found(opened->bytes.size())
            .with_range(least, UINT64_MAX)
            .at_offset(opened->bytes_at);
    auto made = unpacked(kind, filter.spec, filter.hash, filter.keys, opened->bytes, max_bytes);
    if (!made) {
        error problem = made.error();
        return problem.code == errc::bad_payload ? problem.at_offset(opened->bytes_at) : problem;
    }
    if (const auto computed = payload_checksum(made->payload()); computed != opened->header.payload_checksum)
        return make_error(errc::bad_payload_checksum, "payload that the packed bytes make")
            .with_found(computed)
            .with_expected(opened->header.payload_checksum);
    return made;
}

void any_filter::adopt(const kind_entry& kind, const filter_spec& spec, const hasher& hash,
                       std::uint64_t keys, aligned_buffer buffer) {
    buffer_ = std::move(buffer);
    bind(kind, spec, hash, keys, buffer_.data(), buffer_.size_bytes());
}

result<void> any_filter::build(const hash_batches& hashes, unsigned threads) {
    const auto unknown_bytes = zero_keys_mean_zero_bytes_ ? std::span<const std::byte>() : payload();
    if (auto checked = check_empty(keys_, unknown_bytes); !checked) return checked;
    if (!ops_->insert_all(view_, hashes, thread_count(threads))) {
        clear();
        return too_many(hashes.size()).with_range(0, spec_.planned_keys);
    }
    count(hashes.size());
    return {};
}

void any_filter::set_top(std::span<const counted_key> sorted) noexcept {
    if (ops_->sketches == nullptr) return;
    ops_->sketches->mutable_top(view_)->assign(sorted);
    zero_keys_mean_zero_bytes_ = false;
}

error full_error(const any_view& filter) {
    return make_error(errc::full, "keys")
        .with_found(filter.keys())
        .with_range(0, filter.spec().planned_keys)
        .with_note("plan for more keys");
}

result<void> check_alike(const any_view& a, const any_view& b) {
    if (a.spec().kind != b.spec().kind)
        return make_error(errc::spec_mismatch, "kind").with_note("only filters of one kind can be joined");
    const auto rules = a.kind().rules.fields;
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (a.spec()[i] != b.spec()[i])
            return make_error(errc::spec_mismatch, rules[i].name)
                .with_found(b.spec()[i])
                .with_expected(a.spec()[i])
                .with_note("build both filters with the same --kind parameters and --keys");
    if (a.hash().id != b.hash().id)
        return make_error(errc::spec_mismatch, "hash")
            .with_found(static_cast<std::uint32_t>(b.hash().id))
            .with_expected(static_cast<std::uint32_t>(a.hash().id))
            .with_note("build both filters with the same --hash");
    if (a.hash().key != b.hash().key)
        return make_error(errc::spec_mismatch, "hash key")
            .with_note("build both filters with the same --key");
    return {};
}

template <class Join>
result<void> any_filter::join(const any_view& other, std::uint64_t more_keys, const Join& join_views) {
    if (auto alike = check_alike(*this, other); !alike) return alike;
    if (auto checked = other.check_payload(); !checked) return checked;
    if (other.payload().data() == payload().data() && !payload().empty()) {
        // The other filter is this one: a copy, because its entries would be read while they change.
        const auto copy = copy_of(other);
        return copy ? join(*copy, more_keys, join_views) : copy.error();
    }
    if (auto joined = join_views(view_of(other)); !joined) return joined;
    count(more_keys);
    zero_keys_mean_zero_bytes_ = false;  // the other one may count no keys
    return {};
}

result<void> any_filter::merge(const any_view& other) {
    if (ops_->merges == nullptr) return unsupported("merge");
    return join(other, other.keys(), [&](const void* view) { return ops_->merges->merge(view_, view); });
}

result<void> any_filter::merge_weighted(const any_view& other, std::uint64_t weight) {
    if (ops_->sketches == nullptr) return unsupported("weighted merge");
    const std::uint64_t more_keys = checked_multiply(other.keys(), weight).value_or(UINT64_MAX);
    return join(other, more_keys,
                [&](const void* view) { return ops_->sketches->merge_weighted(view_, view, weight); });
}

result<void> any_filter::intersect(const any_view& other) {
    if (ops_->merges == nullptr || ops_->merges->intersect == nullptr) return unsupported("intersect");
    if (auto alike = check_alike(*this, other); !alike) return alike;
    if (auto checked = other.check_payload(); !checked) return checked;
    ops_->merges->intersect(view_, view_of(other));
    keys_ = std::min(keys_, other.keys());
    zero_keys_mean_zero_bytes_ = false;
    return {};
}

result<rounds_report> any_filter::choose_together(std::span<const key_hash> hashes,
                                                  const rounds_request& request) {
    if (ops_->offline == nullptr) return unsupported("choosing together");
    const bool is_fresh = request.start == rounds_start::fresh;
    if (!is_fresh && hashes.size() != keys_)
        return make_error(errc::bad_field, "keys")
            .with_found(hashes.size())
            .with_expected(keys_)
            .with_note("give the keys that the filter was built from, all of them and each once");
    auto report = ops_->offline->place_jointly(view_, hashes, request);
    if (!report) return report;
    std::uint64_t& rounds = spec_[ops_->offline->field];
    const std::uint64_t most = kind_->rules.fields[ops_->offline->field].most;
    rounds = std::min(most, is_fresh ? std::max<std::uint64_t>(1, report->rounds) : rounds + report->rounds);
    keys_ = hashes.size();
    zero_keys_mean_zero_bytes_ = false;
    return report;
}

void any_filter::clear() noexcept {
    if (payload_bytes_ != 0) std::memset(payload_, 0, static_cast<std::size_t>(payload_bytes_));
    keys_ = 0;
    zero_keys_mean_zero_bytes_ = true;
}

result<void> any_filter::fold(std::uint64_t times) {
    if (ops_->folds == nullptr) return unsupported("fold");
    filter_spec folded = spec_;
    const std::uint64_t now = folded[ops_->folds->field];
    folded[ops_->folds->field] = times > 64 ? UINT64_MAX : now + times;
    auto smaller = allocate(*kind_, folded, hash_, no_byte_limit);
    if (!smaller) return smaller.error();
    ops_->folds->fold_into(view_, smaller->view_);
    smaller->keys_ = keys_;
    *this = std::move(*smaller);
    return {};
}

result<std::uint64_t> any_filter::shrink_to_fit(double max_fpr) {
    if (ops_->folds == nullptr) return unsupported("shrink_to_fit");
    if (!(max_fpr > 0 && max_fpr < 1))
        return make_error(errc::bad_field, "fpr")
            .with_note("a false positive rate lies between 0 and 1, both excluded");
    std::uint64_t times = 0;
    for (filter_spec next = spec_;; ++times) {
        ++next[ops_->folds->field];
        if (!kind_->rules.check_spec(next) || kind_->plan.predicted_fpr(next, keys_) > max_fpr) break;
    }
    if (times == 0) return times;
    if (auto folded = fold(times); !folded) return folded.error();
    return times;
}

}  // namespace membrane
