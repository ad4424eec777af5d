// Creating filters from a request, and the planner.
#include <algorithm>
#include <cstring>
#include <optional>

#include <membrane/base/endian.hpp>
#include <membrane/base/zero_bytes.hpp>
#include <membrane/kind/count_min/spec.hpp>
#include <membrane/plan/kind_plans.hpp>
#include <membrane/runtime/kind_text.hpp>
#include <membrane/runtime/planner.hpp>

#include "handle.hpp"
#include "report/plan_json.hpp"

namespace membrane::c {

namespace {

constexpr std::uint64_t known_needs = 2 * MEMBRANE_STATIC - 1;

// A request with its names looked up.
struct order {
    plan::requirement wanted;
    const kind_entry* kind = nullptr;
    plan::given_fields given{};
    std::string kind_argument{"auto"};
    filter_options options{};
};

membrane_status read_kind(const char* text, order& read) {
    const kind_reading found = read_kind_text(text, read_plain_number);
    const std::string name(found.name);
    switch (found.fault) {
        case kind_text_fault::none: break;
        case kind_text_fault::unknown_kind: {
            std::string names;
            for (const kind_entry& entry : registry())
                names.append(names.empty() ? "" : ", ").append(entry.rules.name);
            return fail(MEMBRANE_UNKNOWN_KIND, "kind: no kind '" + name + "' (expected " + names + ")");
        }
        case kind_text_fault::unknown_field: {
            std::string names;
            for (const field_rule& rule : found.kind->rules.fields)
                names.append(names.empty() ? "" : ", ").append(rule.name);
            return fail(MEMBRANE_BAD_FIELD, std::string("kind: ")
                                                .append(found.kind->rules.name)
                                                .append(" has no parameter '" + name + "' (expected " + names)
                                                .append(")"));
        }
        case kind_text_fault::bad_value:
            return fail(MEMBRANE_BAD_FIELD,
                        "kind: value out of range: " + name + " (found '" + std::string(found.value) + "')");
    }
    read.kind = found.kind;
    read.given = found.given;
    read.kind_argument = text;
    return MEMBRANE_OK;
}

membrane_status fail_at_hash(std::string_view name) {
    std::string names;
    for (const hash_name& each : hash_names)
        if (each.is_offered) names.append(names.empty() ? "" : ", ").append(each.name);
    const bool is_known = hash_id_from(name).has_value();
    return fail(MEMBRANE_UNKNOWN_HASH,
                std::string(is_known ? "hash: not for new filters: '" : "hash: no hash '")
                    .append(name)
                    .append("' (expected " + names + ")"));
}

// Nothing is asked for: the filter takes its default.
membrane_status read_hash(const char* name, const std::uint8_t* hash_key, std::optional<hasher>& read) {
    if (name == nullptr && hash_key == nullptr) return MEMBRANE_OK;
    hasher hash;
    hash.id = hash_id::fold;  // as random_hasher()
    if (name != nullptr) {
        const auto found = std::ranges::find_if(
            hash_names, [&](const hash_name& each) { return each.is_offered && each.name == name; });
        if (found == hash_names.end()) return fail_at_hash(name);
        hash.id = found->id;
    }
    if (hash_key != nullptr) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(hash_key);
        hash.key = {load_le<std::uint64_t>(bytes), load_le<std::uint64_t>(bytes + 8)};
    } else {
        const auto key = random_hash_key();
        if (!key) return fail(key.error());
        hash.key = *key;
    }
    read = hash;
    return MEMBRANE_OK;
}

// A request of this version, which may have come from a program for a later one: its members that this one does not know must not be asked
// for.
template <class Request>
membrane_status copy_request(const Request* from, std::string_view init, Request& request) {
    if (from->struct_bytes < sizeof request)
        return fail(MEMBRANE_BAD_ARGUMENT, std::string("request: begin with ").append(init));
    const auto* const bytes = reinterpret_cast<const std::byte*>(from);
    if (from->struct_bytes > 4096 ||
        !are_all_zero({bytes + sizeof request, from->struct_bytes - sizeof request}))
        return fail(MEMBRANE_BAD_ARGUMENT,
                    "request: has members that this version of the library does not know");
    request = *from;
    return MEMBRANE_OK;
}

template <class Number>
std::optional<Number> unless_zero(Number value) {
    return value == 0 ? std::nullopt : std::optional<Number>(value);
}

membrane_status read_request(const membrane_request* from, order& read) {
    membrane_request request = MEMBRANE_REQUEST_INIT;
    if (const auto status = copy_request(from, "MEMBRANE_REQUEST_INIT", request); status != MEMBRANE_OK)
        return status;
    if ((request.needs & ~known_needs) != 0)
        return fail(MEMBRANE_BAD_ARGUMENT, "needs: a value that this version of the library does not know");
    const auto needs = [&](std::uint64_t ability) { return (request.needs & ability) != 0; };
    plan::requirement& wanted = read.wanted;
    wanted.keys = request.keys;
    wanted.fpr = unless_zero(request.fpr);
    wanted.bits_per_key = unless_zero(request.bits_per_key);
    wanted.max_bytes = unless_zero(request.max_bytes);
    wanted.average_reads = unless_zero(request.reads);
    wanted.worst_reads = unless_zero(request.worst_reads);
    wanted.grow_to = request.grow_to;
    wanted.needs.erase = needs(MEMBRANE_ERASE);
    wanted.needs.count = needs(MEMBRANE_COUNT);
    wanted.needs.merge = needs(MEMBRANE_MERGE);
    wanted.needs.intersect = needs(MEMBRANE_INTERSECT);
    wanted.needs.fold = needs(MEMBRANE_FOLD);
    wanted.needs.grow = needs(MEMBRANE_GROW);
    wanted.is_fixed = needs(MEMBRANE_FIXED);
    wanted.is_static = needs(MEMBRANE_STATIC);
    read.options.max_bytes = request.max_bytes == 0 ? no_byte_limit : request.max_bytes;
    if (wanted.fpr && wanted.bits_per_key)
        return fail(MEMBRANE_BAD_FIELD, "bits_per_key: instead of fpr, not with it");
    if (request.kind != nullptr)
        if (const auto status = read_kind(request.kind, read); status != MEMBRANE_OK) return status;
    return read_hash(request.hash, request.hash_key, read.options.hash);
}

// The default filter is sized without the planner, which takes a tenth of a second.
bool is_for_the_default(const order& asked) {
    return asked.kind == nullptr && kind_if_none_named(asked.wanted) != nullptr;
}

result<plan::ranking> rank(const order& asked) {
    return asked.kind == nullptr ? rank_kinds(asked.wanted)
                                 : rank_kind(*asked.kind, asked.given, asked.wanted);
}

// As large as the limit allows, or smaller: what the planner chooses.
result<filter_spec> spec_within(const order& asked) {
    const auto ranked = rank(asked);
    if (!ranked) return ranked.error();
    if (ranked->chosen() != nullptr) return ranked->chosen()->filter->spec;
    std::uint64_t least = no_byte_limit;
    for (const plan::candidate& each : ranked->candidates) {
        if (each.least_bytes) least = std::min(least, *each.least_bytes);
        else if (each.filter) least = std::min(least, each.filter->file_bytes);
    }
    const std::uint64_t limit = *asked.wanted.max_bytes;
    error refusal = make_error(errc::too_large, "max_bytes");
    if (least > limit && least != no_byte_limit) refusal = refusal.with_found(least).with_range(0, limit);
    return refusal.with_note("no kind fits; a plan says what each needs");
}

result<filter> create(order& asked) {
    if (asked.wanted.max_bytes) {
        const auto spec = spec_within(asked);
        return spec ? filter::try_create(*spec, asked.options) : spec.error();
    }
    if (is_for_the_default(asked)) {
        asked.options.erasable = asked.wanted.needs.erase || asked.wanted.needs.count;
        asked.options.grow_to = asked.wanted.grow_to;
        return filter::try_create(asked.wanted.keys, asked.wanted.fpr.value_or(plan::default_fpr),
                                  asked.options);
    }
    const auto chosen = choose(asked.kind, asked.given, asked.wanted);
    if (!chosen) return chosen.error();
    if (auto checked = check_needs(chosen->spec, asked.wanted); !checked) return checked.error();
    return filter::try_create(chosen->spec, asked.options);
}

membrane_status create_counter(const membrane_counter_request& request, membrane_filter** made) {
    filter_options options{};
    if (const auto status = read_hash(request.hash, request.hash_key, options.hash); status != MEMBRANE_OK)
        return status;
    plan::given_fields given;
    given.spec.kind = kind_id::count_min;
    const auto set = [&given](std::size_t field, std::uint64_t value) {
        given.spec[field] = value;
        given.is_given.set(field);
    };
    set(count_min_field::top_slots, request.top);
    set(count_min_field::top_key_bytes, request.top == 0 ? 0 : request.top_key_bytes);
    const auto spec = plan::size_count_min(request.error, request.failure, given);
    if (!spec) return fail(spec.error());
    return hand_over(filter::try_create(*spec, options), made);
}

}  // namespace

}  // namespace membrane::c

using namespace membrane::c;

membrane_status membrane_create(uint64_t keys, double fpr, uint64_t needs, membrane_filter** made) noexcept {
    membrane_request request = MEMBRANE_REQUEST_INIT;
    request.keys = keys;
    request.fpr = fpr;
    request.needs = needs;
    if (!(fpr > 0 && fpr < 1))
        return fail(MEMBRANE_BAD_FIELD, "value out of range: fpr; a rate lies between 0 and 1");
    return membrane_create_from(&request, made);
}

membrane_status membrane_create_from(const membrane_request* request, membrane_filter** made) noexcept {
    if (is_any_null(request, made)) return fail_null();
    return guarded([&] {
        order asked;
        if (const auto status = read_request(request, asked); status != MEMBRANE_OK) return status;
        return hand_over(create(asked), made);
    });
}

membrane_status membrane_create_like(const membrane_filter* other, membrane_filter** made) noexcept {
    if (is_any_null(other, made)) return fail_null();
    return guarded([&] {
        return hand_over(membrane::any_filter::create(other->view->spec(), other->view->hash()), made);
    });
}

membrane_status membrane_copy(const membrane_filter* other, membrane_filter** made) noexcept {
    if (is_any_null(other, made)) return fail_null();
    return guarded([&] {
        const membrane::any_view& from = other->complete_view();
        if (other->own == nullptr) return hand_over(membrane::any_filter::copy_of(from), made);
        return hand_over(std::get<membrane::filter>(other->held).try_copy(), made);
    });
}

membrane_status membrane_plan(const membrane_request* request, char** json) noexcept {
    if (is_any_null(request, json)) return fail_null();
    return guarded([&] {
        order asked;
        if (const auto status = read_request(request, asked); status != MEMBRANE_OK) return status;
        const auto ranked = rank(asked);
        if (!ranked) return fail(ranked.error());
        const std::string build =
            membrane::report::build_command(asked.kind_argument, asked.given, asked.wanted, *ranked);
        const std::string text =
            membrane::report::json_text(membrane::report::plan_json(asked.wanted, *ranked, build));
        *json = static_cast<char*>(copy_for_caller(text.data(), text.size()));
        return MEMBRANE_OK;
    });
}

membrane_status membrane_create_counter(double error, double failure, uint64_t top, uint64_t top_key_bytes,
                                        membrane_filter** made) noexcept {
    membrane_counter_request request = MEMBRANE_COUNTER_REQUEST_INIT;
    request.error = error;
    request.failure = failure;
    request.top = top;
    request.top_key_bytes = top_key_bytes;
    return membrane_create_counter_from(&request, made);
}

membrane_status membrane_create_counter_from(const membrane_counter_request* request,
                                             membrane_filter** made) noexcept {
    if (is_any_null(request, made)) return fail_null();
    return guarded([&] {
        membrane_counter_request asked = MEMBRANE_COUNTER_REQUEST_INIT;
        if (const auto status = copy_request(request, "MEMBRANE_COUNTER_REQUEST_INIT", asked);
            status != MEMBRANE_OK)
            return status;
        return create_counter(asked, made);
    });
}
