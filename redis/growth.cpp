#include "growth.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <membrane/base/checked_math.hpp>
#include <membrane/runtime/planner.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>

namespace membrane::redis {

namespace {

// What a link is sized for.
struct sizing_question {
    const kind_entry* kind = nullptr;  // null: the planner's choice
    plan::given_fields given{};
    std::uint64_t keys = 0;
    double fpr = 0;
    chain_role role = chain_role::membership;

    bool is_same(const sizing_question& other) const {
        return kind == other.kind && keys == other.keys && fpr == other.fpr && role == other.role &&
               given.is_given == other.given.is_given && given.spec == other.given.spec;
    }
};

// Planning takes tens of milliseconds, and most keys of a server are made alike: the last answers are kept.
class sizing_memory {
public:
    const filter_spec* find(const sizing_question& asked) const {
        for (const entry& known : entries_)
            if (known.question.is_same(asked)) return &known.answer;
        return nullptr;
    }
    void keep(const sizing_question& asked, const filter_spec& answer) {
        if (entries_.size() < most_entries) entries_.push_back({asked, answer});
        else entries_[next_++ % most_entries] = {asked, answer};
    }

private:
    static constexpr std::size_t most_entries = 128;
    struct entry {
        sizing_question question;
        filter_spec answer;
    };
    std::vector<entry> entries_;
    std::size_t next_ = 0;
};

result<filter_spec> size(const sizing_question& asked) {
    static sizing_memory memory;
    if (const filter_spec* const known = memory.find(asked)) return *known;
    plan::requirement wanted;
    wanted.keys = asked.keys;
    wanted.fpr = asked.fpr;
    if (asked.role == chain_role::erasable) wanted.needs = {.erase = true, .count = true};
    const auto decided = choose(asked.kind, asked.given, wanted);
    if (!decided) return decided.error();
    filter_spec spec = decided->spec;
    spec.planned_keys = asked.keys;
    memory.keep(asked, spec);
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

double bytes_per_key(const filter_spec& spec) {
    return static_cast<double>(find_entry(spec.kind)->rules.payload_bytes(spec).value_or(UINT64_MAX)) /
           static_cast<double>(spec.planned_keys);
}

// Lines rounded up to a multiple of the older link's (filter_chain.hpp); the link takes as many keys more.
result<filter_spec> with_rounded_lines(sizing_question asked, const filter_spec& sized,
                                       const filter_spec& older) {
    const std::uint64_t free_lines = sized[rank_field::lines];
    const auto lines = round_up(free_lines, older[rank_field::lines]);
    if (!lines) return make_error(errc::size_overflow, "lines");
    give(asked.given, rank_field::lines, *lines);
    give(asked.given, rank_field::fingerprint_bits,
         std::max(sized[rank_field::fingerprint_bits], older[rank_field::fingerprint_bits]));
    asked.keys = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(static_cast<double>(asked.keys) / static_cast<double>(free_lines) *
                                      static_cast<double>(*lines)));
    return size(asked);
}

// The chains are the older link's, which may not be the best for this rate: then lines are filled only in part, and a
// fingerprint of one bit more may be the smaller way to the same rate.
result<filter_spec> next_erasable(const filter_spec& older, std::uint64_t keys, double fpr) {
    sizing_question asked{erasable_kind(), erasable_form(), keys, fpr, chain_role::erasable};
    give(asked.given, rank_field::chains, older[rank_field::chains]);
    const auto sized = size(asked);
    if (!sized) return sized.error();
    auto best = with_rounded_lines(asked, *sized, older);
    give(asked.given, rank_field::fingerprint_bits, (*sized)[rank_field::fingerprint_bits] + 1);
    if (const auto longer = size(asked)) {
        const auto other = with_rounded_lines(asked, *longer, older);
        if (other && (!best || bytes_per_key(*other) < bytes_per_key(*best))) best = other;
    }
    return best;
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
    return size({is_erasable ? erasable_kind() : kind, is_erasable ? erasable_form() : given,
                 options.first_keys, link_error_rate(options, 0), options.role});
}

void plan_ahead(const chain_options& options) {
    // What cannot be planned is told to whoever asks for it.
    static_cast<void>(first_link_spec(options, nullptr, {}).has_value());
}

result<filter_spec> next_link_spec(const filter_chain& chain) {
    const chain_options& options = chain.options();
    const auto links = chain.links();
    if (options.expansion == 0 || links.size() == most_links)
        return make_error(errc::full, "chain").with_found(links.size());
    const any_filter& newest = links.back().filter;
    const auto keys = wanted_keys(options, links.size());
    if (!keys) return make_error(errc::size_overflow, "keys of the next link");
    const double fpr = link_error_rate(options, links.size());
    if (options.role == chain_role::erasable) return next_erasable(newest.spec(), *keys, fpr);
    return size({options.has_given_kind ? &newest.kind() : nullptr, {}, *keys, fpr, options.role});
}

}  // namespace membrane::redis
