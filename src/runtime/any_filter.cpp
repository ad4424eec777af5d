#include <membrane/runtime/any_filter.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/refusal.hpp>
#include <membrane/base/threads.hpp>
#include <membrane/format/encode.hpp>
#include <membrane/format/packed.hpp>
#include <membrane/kind/choice_bloom/rounds_request.hpp>
#include <membrane/kind/count_min/top_section.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/runtime/number_files.hpp>
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
    if (auto adopted = made.adopt(kind, spec, hash, 0, std::move(*buffer)); !adopted) return adopted.error();
    if (made.grower_ && max_bytes != no_byte_limit) made.grower_->policy().max_bytes = max_bytes;
    return made;
}

any_filter::any_filter(any_filter&& other) noexcept
    : any_view(other),
      buffer_(std::move(other.buffer_)),
      grower_(std::move(other.grower_)),
      layouts_seen_(other.layouts_seen_),
      zero_keys_mean_zero_bytes_(other.zero_keys_mean_zero_bytes_) {
    other.become_empty();
}

any_filter& any_filter::operator=(any_filter&& other) noexcept {
    if (this == &other) return *this;
    static_cast<any_view&>(*this) = other;
    buffer_ = std::move(other.buffer_);
    grower_ = std::move(other.grower_);
    layouts_seen_ = other.layouts_seen_;
    zero_keys_mean_zero_bytes_ = other.zero_keys_mean_zero_bytes_;
    other.become_empty();
    return *this;
}

bool any_filter::revive() noexcept {
    if (has_memory()) return false;
    auto made = create(spec_, hash_);
    if (made) {
        made->labels_ = labels_;
        *this = std::move(*made);
    }
    return made.has_value();
}

result<any_filter> any_filter::copy_of(const any_view& view, std::uint64_t max_bytes) {
    if (!view.has_memory()) {
        auto made = create(view.spec(), view.hash(), max_bytes);
        if (made) made->labels_ = view.labels();
        return made;
    }
    if (view.size_bytes() > max_bytes)
        return make_error(errc::too_large, "filter bytes")
            .with_found(view.size_bytes())
            .with_range(0, max_bytes);
    if (view.growing_ != nullptr)
        return filter_of_numbers(
            view, view.spec(), view.keys(), [&] { return view.growing_->numbers(); }, max_bytes);
    if (auto checked = view.check_payload(); !checked) return checked.error();
    auto buffer = aligned_buffer::copy_of(view.payload());
    if (!buffer) return buffer.error();
    any_filter made;
    if (auto adopted = made.adopt(view.kind(), view.spec(), view.hash(), view.keys(), std::move(*buffer));
        !adopted)
        return adopted.error();
    made.labels_ = view.labels();
    if (made.grower_ && max_bytes != no_byte_limit) made.grower_->policy().max_bytes = max_bytes;
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
    if (ops.grows != nullptr) {
        auto like =
            create(ops.grows->layout_for(filter.spec, ops.grows->universe(filter.spec), 1), filter.hash);
        if (!like) return like;
        return checked_unpacked(unpack_numbers(*like, filter.spec, filter.keys, opened->bytes, max_bytes),
                                *opened);
    }
    if (ops.packs == nullptr) return make_error(errc::not_supported, "unpack");
    // Memory is allocated only if there are enough bytes for a filter of this spec.
    if (const std::uint64_t least = ops.packs->least_bytes(filter.spec); opened->bytes.size() < least)
        return make_error(errc::truncated, "packed bytes")
            .with_found(opened->bytes.size())
            .with_range(least, UINT64_MAX)
            .at_offset(opened->bytes_at);
    return checked_unpacked(unpacked(kind, filter.spec, filter.hash, filter.keys, opened->bytes, max_bytes),
                            *opened);
}

result<any_filter> any_filter::checked_unpacked(result<any_filter> made, const packed_view& packed) {
    if (!made) {
        error problem = made.error();
        return problem.code == errc::bad_payload ? problem.at_offset(packed.bytes_at) : problem;
    }
    if (const auto computed = payload_checksum(made->payload()); computed != packed.header.payload_checksum)
        return make_error(errc::bad_payload_checksum, "payload that the packed bytes make")
            .with_found(computed)
            .with_expected(packed.header.payload_checksum);
    made->labels_ = packed.header.filter.labels;
    return made;
}

result<void> any_filter::adopt(const kind_entry& kind, const filter_spec& spec, const hasher& hash,
                               std::uint64_t keys, aligned_buffer buffer) {
    const grow_ops* const grows = kind.ops_for(spec).grows;
    if (grows == nullptr) {
        buffer_ = std::move(buffer);
        bind(kind, spec, hash, keys, buffer_.data(), buffer_.size_bytes());
        return {};
    }
    try {
        grower_ = grows->make(spec, std::move(buffer));
    } catch (const std::bad_alloc&) {
        return make_error(errc::out_of_memory, "filter bytes");
    }
    kind_ = &kind;
    hash_ = hash;
    keys_ = keys;
    bind_grower();
    return {};
}

result<void> any_filter::build(const hash_batches& hashes, unsigned threads) {
    revive();
    const auto unknown_bytes = zero_keys_mean_zero_bytes_ ? std::span<const std::byte>() : payload();
    if (auto checked = check_empty(keys_, unknown_bytes); !checked) return checked;
    if (auto settled = settle(); !settled) return settled;
    if (ops_->insert_all(view_, hashes, thread_count(threads))) {
        count(hashes.size());
        return {};
    }
    clear();
    const bool is_stored =
        grower_ && hashes.visit_range(0, hashes.size(), [&](std::span<const key_hash> piece) {
            return insert_many_growing(piece) == piece.size();
        });
    if (is_stored) return {};
    clear();
    return too_many(hashes.size()).with_range(0, spec_.planned_keys);
}

void any_filter::set_top(std::span<const counted_key> sorted) noexcept {
    if (ops_->sketches == nullptr) return;
    ops_->sketches->mutable_top(view_)->assign(sorted);
    zero_keys_mean_zero_bytes_ = false;
}

error any_filter::refusal() const noexcept {
    if (grower_ && grower_->policy().max_bytes != 0) return grower_->refusal();
    if (!has_memory()) return memory_to_grow_refused();
    return full_error(keys_, spec_.planned_keys);
}

result<void> check_same_hash(const any_view& a, const any_view& b) {
    if (a.hash().id != b.hash().id)
        return make_error(errc::spec_mismatch, "hash")
            .with_found(static_cast<std::uint32_t>(b.hash().id))
            .with_expected(static_cast<std::uint32_t>(a.hash().id))
            .with_note("build both filters with one hash function (tool: --hash, C++: filter_options::hash)");
    if (a.hash().key != b.hash().key)
        return make_error(errc::spec_mismatch, "hash key")
            .with_note(
                "make one like the other, or build both with one hash key (tool: --key, C++: "
                "filter_options::hash)");
    return {};
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
                .with_note("build both filters with the same parameters, for the same number of keys");
    return check_same_hash(a, b);
}

template <class Join>
result<void> any_filter::join(const any_view& other, std::uint64_t more_keys, const Join& join_views) {
    if (auto alike = check_alike(*this, other); !alike) return alike;
    if (!other.has_memory()) return {};
    if (auto checked = other.check_payload(); !checked) return checked;
    if (other.payload().data() == payload().data() && !payload().empty()) {
        // The other filter is this one: a copy, because its entries would be read while they change.
        const auto copy = copy_of(other);
        return copy ? join(*copy, more_keys, join_views) : copy.error();
    }
    if (auto joined = join_views(view_of(other)); !joined) return joined;
    labels_.merge(other.labels());
    count(more_keys);
    zero_keys_mean_zero_bytes_ = false;  // the other one may count no keys
    return {};
}

result<void> any_filter::merge(const any_view& other) {
    revive();
    const any_view* const others[]{&other};
    if (grower_) return merge_numbers(others);
    if (!can(&kind_ops::merges)) return unsupported("merge");
    return join(other, other.keys(), [&](const void* view) { return ops_->merges->merge(view_, view); });
}

result<void> any_filter::merge(std::span<const any_view* const> others) {
    revive();
    if (grower_) return merge_numbers(others);
    for (const any_view* const other : others)
        if (auto joined = merge(*other); !joined) return joined;
    return {};
}

result<void> any_filter::merge_weighted(const any_view& other, std::uint64_t weight) {
    if (!can(&kind_ops::sketches)) return unsupported("weighted merge");
    const std::uint64_t more_keys = checked_multiply(other.keys(), weight).value_or(UINT64_MAX);
    return join(other, more_keys,
                [&](const void* view) { return ops_->sketches->merge_weighted(view_, view, weight); });
}

result<void> any_filter::intersect(const any_view& other) {
    if (!can(&kind_ops::merges) || ops_->merges->intersect == nullptr) return unsupported("intersect");
    if (auto alike = check_alike(*this, other); !alike) return alike;
    if (!other.has_memory()) {
        clear();
        return {};
    }
    if (auto checked = other.check_payload(); !checked) return checked;
    ops_->merges->intersect(view_, view_of(other));
    keys_ = std::min(keys_, other.keys());
    labels_.merge(other.labels());
    zero_keys_mean_zero_bytes_ = false;
    return {};
}

result<rounds_report> any_filter::choose_together(std::span<const key_hash> hashes,
                                                  const rounds_request& request) {
    if (!can(&kind_ops::offline)) return unsupported("choosing together");
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
    if (grower_) {
        grower_->clear();
        follow_grower();
    }
    if (payload_bytes_ != 0) std::memset(payload_, 0, static_cast<std::size_t>(payload_bytes_));
    keys_ = 0;
    zero_keys_mean_zero_bytes_ = true;
}

result<void> any_filter::fold(std::uint64_t times) {
    if (!can(&kind_ops::folds)) return unsupported("fold");
    filter_spec folded = spec_;
    const std::uint64_t now = folded[ops_->folds->field];
    folded[ops_->folds->field] = times > 64 ? UINT64_MAX : now + times;
    auto smaller = allocate(*kind_, folded, hash_, no_byte_limit);
    if (!smaller) return smaller.error();
    ops_->folds->fold_into(view_, smaller->view_);
    smaller->keys_ = keys_;
    smaller->labels_ = std::move(labels_);
    *this = std::move(*smaller);
    return {};
}

result<std::uint64_t> any_filter::lower_rate(double fpr) {
    revive();
    if (grower_) {
        auto done = grower_->lower_rate(fpr);
        follow_grower();
        return done;
    }
    if (ops_->folds == nullptr) return unsupported("lower_rate");
    if (!(fpr > 0 && fpr < 1))
        return make_error(errc::bad_field, "fpr")
            .with_note("a false positive rate lies between 0 and 1, both excluded");
    std::uint64_t times = 0;
    for (filter_spec next = spec_;; ++times) {
        ++next[ops_->folds->field];
        if (!kind_->rules.check_spec(next) || kind_->plan.predicted_fpr(next, keys_) > fpr) break;
    }
    if (times == 0) return times;
    if (auto folded = fold(times); !folded) return folded.error();
    // The plan of the larger filter does not hold for this one.
    spec_.planned_keys = keys_;
    spec_.planned_fpr = std::max(fpr, spec_.planned_fpr);
    return times;
}

}  // namespace membrane
