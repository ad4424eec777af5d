#include "growth.hpp"

#include <algorithm>
#include <array>

#include <membrane/base/checked_math.hpp>
#include <membrane/runtime/planner.hpp>
#include <membrane/spec/balanced_rank_spec.hpp>

namespace membrane::redis {

namespace {

// Planning takes milliseconds, and most keys of a server are made alike: the last few answers are kept.
class plan_memory {
public:
    result<filter_spec> choose(const plan::requirement& wanted) {
        for (const entry& known : entries_)
            if (known.keys == wanted.keys && known.fpr == *wanted.fpr && known.keys != 0) return known.spec;
        const auto decided = membrane::choose(nullptr, {}, wanted);
        if (!decided) return decided.error();
        entries_[next_] = {wanted.keys, *wanted.fpr, decided->spec};
        next_ = (next_ + 1) % entries_.size();
        return decided->spec;
    }

private:
    struct entry {
        std::uint64_t keys = 0;
        double fpr = 0;
        filter_spec spec;
    };
    std::array<entry, 64> entries_;
    std::size_t next_ = 0;
};

const kind_entry* erasable_kind() { return find_entry(kind_id::balanced_rank); }

plan::given_fields erasable_form() {
    plan::given_fields given;
    given.spec[rank_field::form] = rank_form::erasable;
    given.is_given.set(rank_field::form);
    return given;
}

result<filter_spec> size(const kind_entry* kind, const plan::given_fields& given, std::uint64_t keys,
                         double fpr, chain_role role) {
    plan::requirement wanted;
    wanted.keys = keys;
    wanted.fpr = fpr;
    if (role == chain_role::erasable) wanted.needs = {.erase = true, .count = true};
    if (kind == nullptr) {
        static plan_memory memory;
        return memory.choose(wanted);
    }
    const auto spec = kind->plan.size(wanted, given);
    if (!spec) return spec.error();
    filter_spec sized = *spec;
    sized.planned_keys = keys;
    return sized;
}

// Sized freely first, then with its lines rounded up to a multiple of the older link's (filter_chain.hpp, refines).
result<filter_spec> next_erasable(const filter_spec& older, std::uint64_t keys, double fpr) {
    const kind_entry* const kind = erasable_kind();
    plan::given_fields given = erasable_form();
    given.spec[rank_field::chains] = older[rank_field::chains];
    given.is_given.set(rank_field::chains);
    const auto free = size(kind, given, keys, fpr, chain_role::erasable);
    if (!free) return free.error();
    const auto lines = round_up((*free)[rank_field::lines], older[rank_field::lines]);
    if (!lines) return make_error(errc::size_overflow, "lines");
    given.spec[rank_field::lines] = *lines;
    given.is_given.set(rank_field::lines);
    given.spec[rank_field::fingerprint_bits] =
        std::max((*free)[rank_field::fingerprint_bits], older[rank_field::fingerprint_bits]);
    given.is_given.set(rank_field::fingerprint_bits);
    return size(kind, given, keys, fpr, chain_role::erasable);
}

}  // namespace

double link_error_rate(const chain_options& options, std::size_t index) {
    if (options.expansion == 0) return options.error_rate;
    const auto i = static_cast<double>(index);
    return options.error_rate / ((i + 1) * (i + 2));
}

result<filter_spec> first_link_spec(const chain_options& options, const kind_entry* kind,
                                    const plan::given_fields& given) {
    const double fpr = link_error_rate(options, 0);
    if (options.role == chain_role::erasable && kind == nullptr)
        return size(erasable_kind(), erasable_form(), options.first_keys, fpr, options.role);
    return size(kind, given, options.first_keys, fpr, options.role);
}

result<filter_spec> next_link_spec(const filter_chain& chain) {
    const chain_options& options = chain.options();
    const auto links = chain.links();
    if (options.expansion == 0 || links.size() == most_links)
        return make_error(errc::full, "chain").with_found(links.size());
    const any_filter& newest = links.back().filter;
    const auto keys = checked_multiply(newest.spec().planned_keys, options.expansion);
    if (!keys) return make_error(errc::size_overflow, "keys of the next link");
    const double fpr = link_error_rate(options, links.size());
    if (options.role == chain_role::erasable) return next_erasable(newest.spec(), *keys, fpr);
    return size(options.has_given_kind ? &newest.kind() : nullptr, {}, *keys, fpr, options.role);
}

}  // namespace membrane::redis
