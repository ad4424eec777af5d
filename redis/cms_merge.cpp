#include "cms_merge.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <membrane/base/checked_math.hpp>
#include <membrane/kind/count_min/spec.hpp>

#include "keys.hpp"
#include "memory.hpp"

namespace membrane::redis {

namespace {

constexpr char missing_key[] = "CMS: key does not exist";

struct merge_words {
    std::span<text* const> sources;
    std::vector<std::uint64_t> weights;
};

struct weighted_source {
    text* name;
    std::uint64_t weight;
};

std::optional<std::uint64_t> source_count(const request& asked) {
    const auto count = number_from<std::int64_t>(asked.word(2));
    if (!count || *count < 1 || static_cast<std::uint64_t>(*count) > asked.words.size() - 3)
        return std::nullopt;
    return static_cast<std::uint64_t>(*count);
}

merge_words read_words(const request& asked) {
    const auto count = source_count(asked);
    if (!count) throw command_error{"CMS: wrong number of keys"};
    merge_words read;
    read.sources = asked.from(3).first(static_cast<std::size_t>(*count));
    read.weights.assign(read.sources.size(), 1);
    word_reader words(asked.from(3 + read.sources.size()));
    if (words.is_done()) return read;
    if (!words.take("WEIGHTS")) throw command_error{"CMS: wrong number of keys"};
    for (std::uint64_t& weight : read.weights) {
        const auto number = number_from<std::int64_t>(words.value("CMS: wrong number of keys/weights"));
        if (!number) throw command_error{"CMS: Cannot parse number"};
        if (*number < 0) throw command_error{"CMS: Number cannot be negative"};
        weight = static_cast<std::uint64_t>(*number);
    }
    if (!words.is_done()) throw command_error{"CMS: wrong number of keys/weights"};
    return read;
}

// Each source once, with the sum of its weights: a command may name one a thousand times, and a sketch may be as large as
// `max-bytes`. Twice only where the sum is no number of 64 bits.
std::vector<weighted_source> different_sources(const merge_words& read) {
    std::vector<weighted_source> different;
    std::map<std::string_view, std::size_t> known;
    for (std::size_t i = 0; i < read.sources.size(); ++i) {
        const auto [at, is_new] = known.try_emplace(view_of(read.sources[i]), different.size());
        if (!is_new)
            if (const auto sum = checked_add(different[at->second].weight, read.weights[i])) {
                different[at->second].weight = *sum;
                continue;
            }
        at->second = different.size();
        different.push_back({read.sources[i], read.weights[i]});
    }
    return different;
}

any_filter empty_like(const any_filter& sketch) {
    auto made = any_filter::create(sketch.spec(), sketch.hash());
    if (!made) throw command_error{failure_text("could not create filter", made.error())};
    return std::move(*made);
}

void check_mergeable(const any_filter& target, const any_filter& source) {
    const auto differ = [&](std::size_t field) { return target.spec()[field] != source.spec()[field]; };
    if (differ(count_min_field::width) || differ(count_min_field::depth) || differ(count_min_field::copies))
        throw command_error{"CMS: width/depth is not equal"};
    if (const auto alike = check_alike(target, source); !alike)
        throw command_error{"CMS: sketches are not alike: " + describe(alike.error())};
}

}  // namespace

void merge_sketches(const request& asked) {
    if (server.is_keys_request(asked.ctx) != 0) {
        server.key_at(asked.ctx, 1);
        for (std::uint64_t i = 0; i < source_count(asked).value_or(0); ++i)
            server.key_at(asked.ctx, static_cast<int>(3 + i));
        return;
    }
    const std::vector<weighted_source> sources = different_sources(read_words(asked));
    const opened_key key(asked.ctx, asked.key(), both_modes);
    filter_chain& target = key.existing(chain_role::counts, missing_key);
    const any_filter& present = target.links().front().filter;
    for (const weighted_source& each : sources) {
        const opened_key source(asked.ctx, each.name, read_mode);
        check_mergeable(present, source.existing(chain_role::counts, missing_key).links().front().filter);
    }
    const std::uint64_t before = allocated_by_this_thread();
    any_filter sum = empty_like(present);
    const std::uint64_t block_bytes = allocated_by_this_thread() - before;
    for (const weighted_source& each : sources) {
        const opened_key source(asked.ctx, each.name, read_mode);
        if (!sum.merge_weighted(source.existing(chain_role::counts).links().front().filter, each.weight))
            throw command_error{"CMS: MERGE overflow"};
    }
    target.replace_contents(std::move(sum), block_bytes);
    server.replicate_verbatim(asked.ctx);
    server.notify(asked.ctx, module_event, "cms.merge", asked.key());
    reply_ok(asked.ctx);
}

}  // namespace membrane::redis
