// CMS.*: how often keys were counted, never too low. INITBYDIM has the rows that clients of RedisBloom know; INITBYPROB has
// rows from two hashes, sized by the library's own bound.
#include <membrane/plan/kind_plans.hpp>
#include <membrane/kind/count_min/spec.hpp>

#include "chain_making.hpp"
#include "cms_merge.hpp"
#include "families.hpp"
#include "settings.hpp"
#include "sketch_key.hpp"

namespace membrane::redis {

namespace {

constexpr char missing_key[] = "CMS: key does not exist";
constexpr char counted_event[] = "cms.incrby";
constexpr char created_event[] = "cms.init";

// Counters of 32 bits, as in RedisBloom; CELL_SIZE 8 makes them 64.
plan::given_fields read_cells(const request& asked, std::uint64_t row_form) {
    plan::given_fields given;
    const auto give = [&](std::size_t field, std::uint64_t value) {
        given.spec[field] = value;
        given.is_given.set(field);
    };
    give(count_min_field::rows, row_form);
    std::uint64_t cell_bytes = 4;
    for (word_reader words(asked.from(4)); !words.is_done();) {
        if (!words.take("CELL_SIZE")) throw command_error{"CMS: unknown argument"};
        cell_bytes =
            read_count(words.value("CMS: invalid cell size"), 4, 8, "CMS: invalid cell size", "cell size");
        if (cell_bytes != 4 && cell_bytes != 8) throw command_error{"CMS: invalid cell size"};
    }
    give(count_min_field::cell_bits, 8 * cell_bytes);
    return given;
}

void make_sketch(const request& asked, const filter_spec& spec) {
    opened_key key(asked.ctx, asked.key(), both_modes);
    if (!key.is_empty()) throw command_error{"CMS: key already exists"};
    const auto hash = sketch_key();
    if (!hash) throw command_error{failure_text("could not create filter", hash.error())};
    make_chain(asked, key, {.role = chain_role::counts}, spec, {hash_id::siphash13, *hash}, created_event);
    reply_ok(asked.ctx);
}

std::uint64_t read_dimension(const request& asked, std::size_t place, std::size_t field,
                             const char* invalid) {
    const auto number = number_from<std::int64_t>(asked.word(place));
    if (!number || *number < 1 || static_cast<std::uint64_t>(*number) > count_min_fields[field].most)
        throw command_error{invalid};
    return static_cast<std::uint64_t>(*number);
}

void init_by_dim(const request& asked) {
    filter_spec spec = initial_spec(kind_id::count_min, count_min_fields);
    const plan::given_fields given = read_cells(asked, rows::classic);
    spec[count_min_field::rows] = rows::classic;
    spec[count_min_field::cell_bits] = given.spec[count_min_field::cell_bits];
    spec[count_min_field::width] = read_dimension(asked, 2, count_min_field::width, "CMS: invalid width");
    spec[count_min_field::depth] = read_dimension(asked, 3, count_min_field::depth, "CMS: invalid depth");
    make_sketch(asked, spec);
}

double read_share(std::string_view word, const char* invalid) {
    const auto share = number_from<double>(word);
    if (!share || !(*share > 0 && *share < 1)) throw command_error{invalid};
    return *share;
}

void init_by_prob(const request& asked) {
    const double eps = read_share(asked.word(2), "CMS: invalid overestimation value");
    const double delta = read_share(asked.word(3), "CMS: invalid prob value");
    const auto spec = plan::size_count_min(eps, delta, read_cells(asked, rows::two_hash));
    if (!spec) throw command_error{failure_text("could not create filter", spec.error())};
    make_sketch(asked, *spec);
}

std::uint64_t read_weight(std::string_view word) {
    const auto weight = number_from<std::int64_t>(word);
    if (!weight) throw command_error{"CMS: Cannot parse number"};
    if (*weight < 0) throw command_error{"CMS: Number cannot be negative"};
    return static_cast<std::uint64_t>(*weight);
}

// All numbers are read before the first is counted; a counter that would overflow refuses its own key only. Replicas are told
// of the pairs that were counted: what was refused here may fit there, where counting began later.
void incrby(const request& asked) {
    const auto pairs = asked.from(2);
    if (pairs.size() % 2 != 0) {
        server.wrong_arity(asked.ctx);
        return;
    }
    std::vector<std::uint64_t> weights(pairs.size() / 2);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = read_weight(view_of(pairs[2 * i + 1]));
    const opened_key key(asked.ctx, asked.key(), both_modes);
    filter_chain& sketch = key.existing(chain_role::counts, missing_key);
    server.reply_array(asked.ctx, static_cast<long>(weights.size()));
    std::vector<text*> counted;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const key_hash hash = sketch.hash()(view_of(pairs[2 * i]));
        if (!sketch.count(hash, weights[i])) {
            reply_error(asked.ctx, "CMS: INCRBY overflow");
            continue;
        }
        counted.insert(counted.end(), {pairs[2 * i], pairs[2 * i + 1]});
        reply_number(asked.ctx, sketch.estimate(hash));
    }
    if (counted.empty()) return;
    if (counted.size() == pairs.size()) server.replicate_verbatim(asked.ctx);
    else
        server.replicate(asked.ctx, command_name("CMS.INCRBY").c_str(), "sv", asked.key(), counted.data(),
                         counted.size());
    server.notify(asked.ctx, module_event, counted_event, asked.key());
}

void query(const request& asked) {
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain& sketch = key.existing(chain_role::counts, missing_key);
    const auto items = asked.from(2);
    server.reply_array(asked.ctx, static_cast<long>(items.size()));
    for (text* const item : items) reply_number(asked.ctx, sketch.estimate(sketch.hash()(view_of(item))));
}

void info(const request& asked) {
    const opened_key key(asked.ctx, asked.key(), read_mode);
    const filter_chain& sketch = key.existing(chain_role::counts, missing_key);
    const filter_spec& spec = sketch.links().front().filter.spec();
    reply_map(asked.ctx, 3);
    reply_pair(asked.ctx, "width", spec[count_min_field::width]);
    reply_pair(asked.ctx, "depth", count_min_rows(spec));
    reply_pair(asked.ctx, "count", sketch.keys());
}

constexpr command_row table[] = {
    row<init_by_dim, -4>("CMS.INITBYDIM", writes_much, "Creates a sketch of given width and depth",
                         "O(width * depth)"),
    row<init_by_prob, -4>("CMS.INITBYPROB", writes_much, "Creates a sketch for an error and its probability",
                          "O(width * depth)"),
    row<incrby, -4>("CMS.INCRBY", writes, "Counts keys", "O(depth * keys)"),
    row<query, -3>("CMS.QUERY", reads, "How often keys were counted, or more", "O(depth * keys)"),
    row<info, 2>("CMS.INFO", reads, "Width, depth and total of a sketch", "O(1)"),
    {"CMS.MERGE", &run<merge_sketches, -4>, -4, "write deny-oom getkeys-api", 1, 1, 1,
     "Replaces a sketch by a weighted sum of sketches", "O(width * depth * sketches)"},
};

}  // namespace

std::span<const command_row> cms_commands() { return table; }

}  // namespace membrane::redis
