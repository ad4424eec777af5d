// CMS.*: count-min sketches, whose counts are never too low. Width, depth and rows are those of RedisBloom.
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <membrane/base/endian.hpp>
#include <membrane/format/encode.hpp>
#include <membrane/kind/count_min/spec.hpp>

#include "settings.hpp"
#include "stack_updates.hpp"

namespace membrane::redis::cms {

namespace {

constexpr char missing_key[] = "CMS: key does not exist";
constexpr char counted_event[] = "cms.incrby";
constexpr char created_event[] = "cms.init";

// Counters have 32 bits, as in RedisBloom, or 64 with CELL_SIZE 8.
std::uint64_t read_cell_bits(const command_call& call) {
    std::uint64_t cell_bytes = 4;
    for (option_reader options(call.arguments_from(4)); !options.is_done();) {
        if (!options.take("CELL_SIZE")) throw command_error{"CMS: unknown argument"};
        cell_bytes =
            read_count(options.value("CMS: invalid cell size"), 4, 8, "CMS: invalid cell size", "cell size");
        if (cell_bytes != 4 && cell_bytes != 8) throw command_error{"CMS: invalid cell size"};
    }
    return 8 * cell_bytes;
}

void create_sketch(const command_call& call, std::uint64_t width, std::uint64_t depth) {
    filter_spec spec = initial_spec(kind_id::count_min, count_min_fields);
    spec[count_min_field::rows] = rows::classic;
    spec[count_min_field::cell_bits] = read_cell_bits(call);
    spec[count_min_field::width] = width;
    spec[count_min_field::depth] = depth;
    opened_key key(call.ctx, call.key(), read_write_mode);
    if (!key.is_empty()) throw command_error{"CMS: key already exists"};
    const auto hash = new_sketch_key();
    if (!hash) throw command_error{error_text("could not create filter", hash.error())};
    create_stack(call, key, {.role = stack_role::counts}, spec, {hash_id::siphash13, *hash}, created_event);
    reply_ok(call.ctx);
}

constexpr std::uint64_t most_width = count_min_fields[count_min_field::width].most;
constexpr std::uint64_t most_depth = count_min_fields[count_min_field::depth].most;

std::uint64_t read_dimension(std::string_view text, std::uint64_t most, const char* invalid) {
    const auto number = number_from<std::int64_t>(text);
    if (!number || *number < 1 || static_cast<std::uint64_t>(*number) > most) throw command_error{invalid};
    return static_cast<std::uint64_t>(*number);
}

void init_by_dim(const command_call& call) {
    create_sketch(call, read_dimension(call.argument(2), most_width, "CMS: invalid width"),
                  read_dimension(call.argument(3), most_depth, "CMS: invalid depth"));
}

double read_probability(std::string_view text, const char* invalid) {
    const auto probability = number_from<double>(text);
    if (!probability || !(*probability > 0 && *probability < 1)) throw command_error{invalid};
    return *probability;
}

// An estimate exceeds the truth by `error` of the total at least in one row with the probability 1/2 at most (Markov), in all of
// them with 2^-depth. Dividing as RedisBloom does gives its numbers also where a quotient is nearly whole.
void init_by_prob(const command_call& call) {
    const double error = read_probability(call.argument(2), "CMS: invalid overestimation value");
    const double probability = read_probability(call.argument(3), "CMS: invalid prob value");
    const double width = std::ceil(2 / error), depth = std::ceil(std::log10(probability) / std::log10(0.5));
    if (!(width <= static_cast<double>(most_width))) throw command_error{"CMS: invalid overestimation value"};
    if (!(depth <= static_cast<double>(most_depth))) throw command_error{"CMS: invalid prob value"};
    create_sketch(call, static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(depth));
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
    filter_stack& sketch = key.existing(stack_role::counts, missing_key);
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
    const filter_stack& sketch = key.existing(stack_role::counts, missing_key);
    const auto items = call.arguments_from(2);
    server.reply_array(call.ctx, static_cast<long>(items.size()));
    for (server_string* const item : items)
        reply_number(call.ctx, sketch.estimate(sketch.hash()(view_of(item))));
}

void info(const command_call& call) {
    const opened_key key(call.ctx, call.key(), read_mode);
    const filter_stack& sketch = key.existing(stack_role::counts, missing_key);
    const filter_spec& spec = sketch.links().front().filter.spec();
    reply_map(call.ctx, 3);
    reply_pair(call.ctx, "width", spec[count_min_field::width]);
    reply_pair(call.ctx, "depth", count_min_rows(spec));
    reply_pair(call.ctx, "count", sketch.keys());
}

// Arguments of CMS.MERGE target count source... [WEIGHTS weight...].
struct merge_arguments {
    std::span<server_string* const> sources;
    std::vector<std::int64_t> weights;
};

struct weighted_source {
    server_string* name;
    std::int64_t weight;
};

std::optional<std::uint64_t> source_count(const command_call& call) {
    const auto count = number_from<std::int64_t>(call.argument(2));
    if (!count || *count < 1 || static_cast<std::uint64_t>(*count) > call.arguments.size() - 3)
        return std::nullopt;
    return static_cast<std::uint64_t>(*count);
}

merge_arguments read_merge_arguments(const command_call& call) {
    const auto count = source_count(call);
    if (const auto wanted = number_from<std::int64_t>(call.argument(2)); wanted && *wanted <= 0)
        throw command_error{"CMS: Number of keys must be positive"};
    if (!count) throw command_error{"CMS: wrong number of keys"};
    merge_arguments read;
    read.sources = call.arguments_from(3).first(static_cast<std::size_t>(*count));
    read.weights.assign(read.sources.size(), 1);
    option_reader options(call.arguments_from(3 + read.sources.size()));
    if (options.is_done()) return read;
    if (!options.take("WEIGHTS")) throw command_error{"CMS: wrong number of keys"};
    for (std::int64_t& weight : read.weights) {
        const auto number = number_from<std::int64_t>(options.value("CMS: wrong number of keys/weights"));
        if (!number || *number == INT64_MIN) throw command_error{"CMS: Cannot parse number"};
        weight = *number;
    }
    if (!options.is_done()) throw command_error{"CMS: wrong number of keys/weights"};
    return read;
}

// Each source once, with the sum of its weights: a command may name a source a thousand times, and adding a sketch takes time in
// proportion to its size, which may be max-bytes. A source is listed again if the sum of its weights exceeds 63 bits.
std::vector<weighted_source> distinct_sources(const merge_arguments& read) {
    std::vector<weighted_source> distinct;
    std::map<std::string_view, std::size_t> known;
    for (std::size_t i = 0; i < read.sources.size(); ++i) {
        const auto [at, is_new] = known.try_emplace(view_of(read.sources[i]), distinct.size());
        std::int64_t sum = 0;
        if (!is_new && !__builtin_add_overflow(distinct[at->second].weight, read.weights[i], &sum) &&
            sum != INT64_MIN) {
            distinct[at->second].weight = sum;
            continue;
        }
        at->second = distinct.size();
        distinct.push_back({read.sources[i], read.weights[i]});
    }
    return distinct;
}

void check_mergeable(const any_filter& target, const any_filter& source) {
    const auto differ = [&](std::size_t field) { return target.spec()[field] != source.spec()[field]; };
    if (differ(count_min_field::width) || differ(count_min_field::depth) || differ(count_min_field::copies))
        throw command_error{"CMS: width/depth is not equal"};
    if (const auto alike = check_alike(target, source); !alike)
        throw command_error{"CMS: sketches are not alike: " + describe(alike.error())};
}

// The sum of the sources with weights of one sign.
result<any_filter> sum_of(const command_call& call, const any_filter& like,
                          const std::vector<weighted_source>& sources, bool negative) {
    auto sum = any_filter::create(like.spec(), like.hash());
    if (!sum) return sum;
    for (const weighted_source& each : sources) {
        if ((each.weight < 0) != negative) continue;
        const opened_key source(call.ctx, each.name, read_mode);
        const auto& added = source.existing(stack_role::counts).links().front().filter;
        const auto weight = static_cast<std::uint64_t>(negative ? -each.weight : each.weight);
        if (auto merged = sum->merge_weighted(added, weight); !merged) return merged.error();
    }
    return sum;
}

template <class Cell>
bool subtract_cells(std::span<std::byte> from, byte_span less) {
    for (std::size_t at = 0; at + sizeof(Cell) <= from.size(); at += sizeof(Cell)) {
        const auto a = load_le<Cell>(from.data() + at), b = load_le<Cell>(less.data() + at);
        if (b > a) return false;
        store_le(from.data() + at, static_cast<Cell>(a - b));
    }
    return true;
}

// Counter by counter; an error if one would be below zero. Sketches of this file are counters alone.
result<any_filter> difference_of(const any_filter& sum, const any_filter& less) {
    const error below_zero = make_error(errc::counter_overflow, "counter below zero");
    if (less.keys() > sum.keys()) return below_zero;
    std::vector<std::byte> cells(sum.payload().begin(), sum.payload().end());
    const bool is_wide = sum.spec()[count_min_field::cell_bits] == 64;
    if (!(is_wide ? subtract_cells<std::uint64_t>(cells, less.payload())
                  : subtract_cells<std::uint32_t>(cells, less.payload())))
        return below_zero;
    file_view file = sum.as_file();
    file.keys = sum.keys() - less.keys();
    file.payload = cells;
    std::vector<std::byte> bytes = encode_header(file, payload_checksum(cells));
    bytes.insert(bytes.end(), cells.begin(), cells.end());
    return any_filter::open_copy(bytes);
}

// The target becomes the weighted sum of the sources, or stays as it is if a counter would overflow or be below zero.
void merge(const command_call& call) {
    if (server.is_keys_request(call.ctx) != 0) {
        server.key_at(call.ctx, 1);
        for (std::uint64_t i = 0; i < source_count(call).value_or(0); ++i)
            server.key_at(call.ctx, static_cast<int>(3 + i));
        return;
    }
    const std::vector<weighted_source> sources = distinct_sources(read_merge_arguments(call));
    const opened_key key(call.ctx, call.key(), read_write_mode);
    filter_stack& target = key.existing(stack_role::counts, missing_key);
    const any_filter& present = target.links().front().filter;
    bool has_negative = false;
    for (const weighted_source& each : sources) {
        const opened_key source(call.ctx, each.name, read_mode);
        check_mergeable(present, source.existing(stack_role::counts, missing_key).links().front().filter);
        has_negative |= each.weight < 0;
    }
    const auto done = target.replace_contents([&]() -> result<any_filter> {
        auto sum = sum_of(call, present, sources, false);
        if (!sum || !has_negative) return sum;
        const auto less = sum_of(call, present, sources, true);
        if (!less) return less.error();
        return difference_of(*sum, *less);
    });
    if (!done && done.error().code == errc::counter_overflow) throw command_error{"CMS: MERGE overflow"};
    if (!done) throw command_error{error_text("could not create filter", done.error())};
    server.replicate_verbatim(call.ctx);
    server.notify(call.ctx, module_event, "cms.merge", call.key());
    reply_ok(call.ctx);
}

constexpr command_row table[] = {
    row<init_by_dim, -4>("cms.initbydim", slow_write, key_use::creates,
                         "key:key width:int depth:int [CELL_SIZE bytes:int]",
                         "Creates a sketch of given width and depth", "O(width * depth)"),
    row<init_by_prob, -4>("cms.initbyprob", slow_write, key_use::creates,
                          "key:key error:double probability:double [CELL_SIZE bytes:int]",
                          "Creates a sketch for an error and its probability", "O(width * depth)"),
    row<incrby, -4>("cms.incrby", fast_write, key_use::changes, "key:key (item increment:int)...",
                    "Adds to the counts of keys", "O(depth * keys)"),
    row<query, -3>("cms.query", fast_read, key_use::reads, "key:key item...",
                   "How often keys were counted, or more", "O(depth * keys)"),
    row<info, 2>("cms.info", fast_read, key_use::reads, "key:key", "Width, depth and total of a sketch",
                 "O(1)"),
    {"cms.merge", &run_command<merge, -4>, -4, "write deny-oom getkeys-api", key_use::merges_counted,
     "target:key number:int source:key... [WEIGHTS weight:int...]",
     "Replaces a sketch by a weighted sum of sketches", "O(width * depth * sketches)"},
};

}  // namespace

std::span<const command_row> commands() { return table; }

}  // namespace membrane::redis::cms
