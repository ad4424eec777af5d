// CMS.*: count-min sketches, whose counts are never too low. INITBYDIM makes the rows of RedisBloom; INITBYPROB makes rows from
// two hashes and takes width and depth from the library's error bound.
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <membrane/base/checked_math.hpp>
#include <membrane/kind/count_min/spec.hpp>
#include <membrane/plan/kind_plans.hpp>

#include "chain_updates.hpp"
#include "memory.hpp"
#include "settings.hpp"

namespace membrane::redis::cms {

namespace {

constexpr char missing_key[] = "CMS: key does not exist";
constexpr char counted_event[] = "cms.incrby";
constexpr char created_event[] = "cms.init";

// Counters have 32 bits, as in RedisBloom, or 64 with CELL_SIZE 8.
plan::given_fields read_cells(const command_call& call, std::uint64_t row_form) {
    plan::given_fields given;
    const auto give = [&](std::size_t field, std::uint64_t value) {
        given.spec[field] = value;
        given.is_given.set(field);
    };
    give(count_min_field::rows, row_form);
    std::uint64_t cell_bytes = 4;
    for (option_reader options(call.arguments_from(4)); !options.is_done();) {
        if (!options.take("CELL_SIZE")) throw command_error{"CMS: unknown argument"};
        cell_bytes =
            read_count(options.value("CMS: invalid cell size"), 4, 8, "CMS: invalid cell size", "cell size");
        if (cell_bytes != 4 && cell_bytes != 8) throw command_error{"CMS: invalid cell size"};
    }
    give(count_min_field::cell_bits, 8 * cell_bytes);
    return given;
}

void create_sketch(const command_call& call, const filter_spec& spec) {
    opened_key key(call.ctx, call.key(), read_write_mode);
    if (!key.is_empty()) throw command_error{"CMS: key already exists"};
    const auto hash = new_sketch_key();
    if (!hash) throw command_error{error_text("could not create filter", hash.error())};
    create_chain(call, key, {.role = chain_role::counts}, spec, {hash_id::siphash13, *hash}, created_event);
    reply_ok(call.ctx);
}

std::uint64_t read_dimension(const command_call& call, std::size_t place, std::size_t field,
                             const char* invalid) {
    const auto number = number_from<std::int64_t>(call.argument(place));
    if (!number || *number < 1 || static_cast<std::uint64_t>(*number) > count_min_fields[field].most)
        throw command_error{invalid};
    return static_cast<std::uint64_t>(*number);
}

void init_by_dim(const command_call& call) {
    filter_spec spec = initial_spec(kind_id::count_min, count_min_fields);
    const plan::given_fields given = read_cells(call, rows::classic);
    spec[count_min_field::rows] = rows::classic;
    spec[count_min_field::cell_bits] = given.spec[count_min_field::cell_bits];
    spec[count_min_field::width] = read_dimension(call, 2, count_min_field::width, "CMS: invalid width");
    spec[count_min_field::depth] = read_dimension(call, 3, count_min_field::depth, "CMS: invalid depth");
    create_sketch(call, spec);
}

double read_probability(std::string_view text, const char* invalid) {
    const auto probability = number_from<double>(text);
    if (!probability || !(*probability > 0 && *probability < 1)) throw command_error{invalid};
    return *probability;
}

void init_by_prob(const command_call& call) {
    const double eps = read_probability(call.argument(2), "CMS: invalid overestimation value");
    const double delta = read_probability(call.argument(3), "CMS: invalid prob value");
    const auto spec = plan::size_count_min(eps, delta, read_cells(call, rows::two_hash));
    if (!spec) throw command_error{error_text("could not create filter", spec.error())};
    create_sketch(call, *spec);
}

std::uint64_t read_weight(std::string_view text) {
    const auto weight = number_from<std::int64_t>(text);
    if (!weight) throw command_error{"CMS: Cannot parse number"};
    if (*weight < 0) throw command_error{"CMS: Number cannot be negative"};
    return static_cast<std::uint64_t>(*weight);
}

// Reads all weights before it counts the first key. A key whose counter would overflow gets an error, and the others are
// counted. Only the counted pairs are replicated: a replica must not count a pair that was refused here.
void incrby(const command_call& call) {
    const auto pairs = call.arguments_from(2);
    if (pairs.size() % 2 != 0) {
        server.wrong_arity(call.ctx);
        return;
    }
    std::vector<std::uint64_t> weights(pairs.size() / 2);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = read_weight(view_of(pairs[2 * i + 1]));
    const opened_key key(call.ctx, call.key(), read_write_mode);
    filter_chain& sketch = key.existing(chain_role::counts, missing_key);
    server.reply_array(call.ctx, static_cast<long>(weights.size()));
    std::vector<server_string*> counted;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const key_hash hash = sketch.hash()(view_of(pairs[2 * i]));
        if (!sketch.count(hash, weights[i])) {
            reply_error(call.ctx, "CMS: INCRBY overflow");
            continue;
        }
        counted.insert(counted.end(), {pairs[2 * i], pairs[2 * i + 1]});
        reply_number(call.ctx, sketch.estimate(hash));
    }
    if (counted.empty()) return;
    if (counted.size() == pairs.size()) server.replicate_verbatim(call.ctx);
    else
        server.replicate(call.ctx, command_name("CMS.INCRBY").c_str(), "sv", call.key(), counted.data(),
                         counted.size());
    server.notify(call.ctx, module_event, counted_event, call.key());
}

void query(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_chain& sketch = key.existing(chain_role::counts, missing_key);
    const auto items = call.arguments_from(2);
    server.reply_array(call.ctx, static_cast<long>(items.size()));
    for (server_string* const item : items)
        reply_number(call.ctx, sketch.estimate(sketch.hash()(view_of(item))));
}

void info(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_chain& sketch = key.existing(chain_role::counts, missing_key);
    const filter_spec& spec = sketch.links().front().filter.spec();
    reply_map(call.ctx, 3);
    reply_pair(call.ctx, "width", spec[count_min_field::width]);
    reply_pair(call.ctx, "depth", count_min_rows(spec));
    reply_pair(call.ctx, "count", sketch.keys());
}

// Arguments of CMS.MERGE target count source... [WEIGHTS weight...].
struct merge_arguments {
    std::span<server_string* const> sources;
    std::vector<std::uint64_t> weights;
};

struct weighted_source {
    server_string* name;
    std::uint64_t weight;
};

std::optional<std::uint64_t> source_count(const command_call& call) {
    const auto count = number_from<std::int64_t>(call.argument(2));
    if (!count || *count < 1 || static_cast<std::uint64_t>(*count) > call.arguments.size() - 3)
        return std::nullopt;
    return static_cast<std::uint64_t>(*count);
}

merge_arguments read_merge_arguments(const command_call& call) {
    const auto count = source_count(call);
    if (!count) throw command_error{"CMS: wrong number of keys"};
    merge_arguments read;
    read.sources = call.arguments_from(3).first(static_cast<std::size_t>(*count));
    read.weights.assign(read.sources.size(), 1);
    option_reader options(call.arguments_from(3 + read.sources.size()));
    if (options.is_done()) return read;
    if (!options.take("WEIGHTS")) throw command_error{"CMS: wrong number of keys"};
    for (std::uint64_t& weight : read.weights)
        weight = read_weight(options.value("CMS: wrong number of keys/weights"));
    if (!options.is_done()) throw command_error{"CMS: wrong number of keys/weights"};
    return read;
}

// Each source once, with the sum of its weights: a command may name a source a thousand times, and adding a sketch takes time in
// proportion to its size, which may be max-bytes. A source is listed again if the sum of its weights exceeds 64 bits.
std::vector<weighted_source> distinct_sources(const merge_arguments& read) {
    std::vector<weighted_source> distinct;
    std::map<std::string_view, std::size_t> known;
    for (std::size_t i = 0; i < read.sources.size(); ++i) {
        const auto [at, is_new] = known.try_emplace(view_of(read.sources[i]), distinct.size());
        if (!is_new)
            if (const auto sum = checked_add(distinct[at->second].weight, read.weights[i])) {
                distinct[at->second].weight = *sum;
                continue;
            }
        at->second = distinct.size();
        distinct.push_back({read.sources[i], read.weights[i]});
    }
    return distinct;
}

any_filter empty_like(const any_filter& sketch) {
    auto made = any_filter::create(sketch.spec(), sketch.hash());
    if (!made) throw command_error{error_text("could not create filter", made.error())};
    return std::move(*made);
}

void check_mergeable(const any_filter& target, const any_filter& source) {
    const auto differ = [&](std::size_t field) { return target.spec()[field] != source.spec()[field]; };
    if (differ(count_min_field::width) || differ(count_min_field::depth) || differ(count_min_field::copies))
        throw command_error{"CMS: width/depth is not equal"};
    if (const auto alike = check_alike(target, source); !alike)
        throw command_error{"CMS: sketches are not alike: " + describe(alike.error())};
}

// The target becomes the weighted sum of the sources.
void merge(const command_call& call) {
    if (server.is_keys_request(call.ctx) != 0) {
        server.key_at(call.ctx, 1);
        for (std::uint64_t i = 0; i < source_count(call).value_or(0); ++i)
            server.key_at(call.ctx, static_cast<int>(3 + i));
        return;
    }
    const std::vector<weighted_source> sources = distinct_sources(read_merge_arguments(call));
    const opened_key key(call.ctx, call.key(), read_write_mode);
    filter_chain& target = key.existing(chain_role::counts, missing_key);
    const any_filter& present = target.links().front().filter;
    for (const weighted_source& each : sources) {
        const opened_key source(call.ctx, each.name, read_mode);
        check_mergeable(present, source.existing(chain_role::counts, missing_key).links().front().filter);
    }
    const std::uint64_t before = allocated_by_this_thread();
    any_filter sum = empty_like(present);
    const std::uint64_t block_bytes = allocated_by_this_thread() - before;
    for (const weighted_source& each : sources) {
        const opened_key source(call.ctx, each.name, read_mode);
        if (!sum.merge_weighted(source.existing(chain_role::counts).links().front().filter, each.weight))
            throw command_error{"CMS: MERGE overflow"};
    }
    target.replace_contents(std::move(sum), block_bytes);
    server.replicate_verbatim(call.ctx);
    server.notify(call.ctx, module_event, "cms.merge", call.key());
    reply_ok(call.ctx);
}

constexpr command_row table[] = {
    row<init_by_dim, -4>("CMS.INITBYDIM", slow_write, "Creates a sketch of given width and depth",
                         "O(width * depth)"),
    row<init_by_prob, -4>("CMS.INITBYPROB", slow_write, "Creates a sketch for an error and its probability",
                          "O(width * depth)"),
    row<incrby, -4>("CMS.INCRBY", fast_write, "Adds to the counts of keys", "O(depth * keys)"),
    row<query, -3>("CMS.QUERY", fast_read, "How often keys were counted, or more", "O(depth * keys)"),
    row<info, 2>("CMS.INFO", fast_read, "Width, depth and total of a sketch", "O(1)"),
    {"CMS.MERGE", &run_command<merge, -4>, -4, "write deny-oom getkeys-api", 1, 1, 1,
     "Replaces a sketch by a weighted sum of sketches", "O(width * depth * sketches)"},
};

}  // namespace

std::span<const command_row> commands() { return table; }

}  // namespace membrane::redis::cms
