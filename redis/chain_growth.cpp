#include "chain_growth.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <membrane/base/checked_math.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>
#include <membrane/runtime/planner.hpp>

namespace membrane::redis {

namespace {

struct sizing_request {
    const kind_entry* kind = nullptr;  // null: the planner chooses
    plan::given_fields given{};
    std::uint64_t keys = 0;
    double fpr = 0;
    chain_role role = chain_role::membership;

    bool is_same(const sizing_request& other) const {
        return kind == other.kind && keys == other.keys && fpr == other.fpr && role == other.role &&
               given.is_given == other.given.is_given && given.spec == other.given.spec;
    }
};

// Planning takes tens of milliseconds, and most filters of a server have the same options: keeps the newest specs.
class spec_cache {
public:
    const filter_spec* find(const sizing_request& request) const {
        for (const entry& known : entries_)
            if (known.request.is_same(request)) return &known.spec;
        return nullptr;
    }
    void keep(const sizing_request& request, const filter_spec& spec) {
        if (entries_.size() < max_entries) entries_.push_back({request, spec});
        else entries_[next_++ % max_entries] = {request, spec};
    }

private:
    static constexpr std::size_t max_entries = 128;
    struct entry {
        sizing_request request;
        filter_spec spec;
    };
    std::vector<entry> entries_;
    std::size_t next_ = 0;
};

result<filter_spec> size_link(const sizing_request& request) {
    static spec_cache cache;
    if (const filter_spec* const known = cache.find(request)) return *known;
    plan::requirement wanted;
    wanted.keys = request.keys;
    wanted.fpr = request.fpr;
    if (request.role == chain_role::erasable) wanted.needs = {.erase = true, .count = true};
    const auto decided = choose(request.kind, request.given, wanted);
    if (!decided) return decided.error();
    filter_spec spec = decided->spec;
    spec.planned_keys = request.keys;
    cache.keep(request, spec);
    return spec;
}

const kind_entry* erasable_kind() { return find_entry(kind_id::balanced_rank); }

void give(plan::given_fields& given, std::size_t field, std::uint64_t value) {
    given.spec[field] = value;
    given.is_given.set(field);
}

plan::given_fields erasable_form() {
    plan::given_fields given;
    give(given, rank_field::form, rank_form::erasable);
    return given;
}

// The older link's universe times a power of two, which erasing in a chain needs (filter_chain.hpp).
result<filter_spec> next_erasable(const filter_spec& older, std::uint64_t keys, double fpr) {
    sizing_request request{erasable_kind(), erasable_form(), keys, fpr, chain_role::erasable};
    std::uint64_t universe = older[rank_field::universe];
    while (static_cast<double>(universe) * fpr < static_cast<double>(keys) && universe <= most_universe / 2)
        universe *= 2;
    give(request.given, rank_field::universe, universe);
    return size_link(request);
}

// first_keys * expansion ^ index
std::optional<std::uint64_t> wanted_keys(const chain_options& options, std::size_t index) {
    std::optional<std::uint64_t> keys = options.first_keys;
    for (std::size_t i = 0; i < index && keys; ++i) keys = checked_multiply(*keys, options.expansion);
    return keys;
}

}  // namespace

double link_error_rate(const chain_options& options, std::size_t index) {
    if (options.expansion == 0) return options.error_rate;
    const auto i = static_cast<double>(index);
    return options.error_rate / ((i + 1) * (i + 2));
}

result<filter_spec> first_link_spec(const chain_options& options, const kind_entry* kind,
                                    const plan::given_fields& given) {
    const bool is_erasable = options.role == chain_role::erasable;
    return size_link({is_erasable ? erasable_kind() : kind, is_erasable ? erasable_form() : given,
                      options.first_keys, link_error_rate(options, 0), options.role});
}

void cache_first_link_spec(const chain_options& options) {
    // An error is ignored here: the command that needs the link reports it.
    static_cast<void>(first_link_spec(options, nullptr, {}).has_value());
}

result<filter_spec> next_link_spec(const filter_chain& chain) {
    const chain_options& options = chain.options();
    const auto links = chain.links();
    if (options.expansion == 0 || links.size() == max_links)
        return make_error(errc::full, "chain").with_found(links.size());
    const any_filter& newest = links.back().filter;
    const auto keys = wanted_keys(options, links.size());
    if (!keys) return make_error(errc::size_overflow, "keys of the next link");
    const double fpr = link_error_rate(options, links.size());
    if (options.role == chain_role::erasable) return next_erasable(newest.spec(), *keys, fpr);
    return size_link({options.has_given_kind ? &newest.kind() : nullptr, {}, *keys, fpr, options.role});
}

}  // namespace membrane::redis
