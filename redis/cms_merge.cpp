#include "cms_merge.hpp"

#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include <membrane/spec/count_min_spec.hpp>

#include "keys.hpp"
#include "memory.hpp"

namespace membrane::redis {

namespace {

constexpr char missing_key[] = "CMS: key does not exist";

struct merge_words {
    std::span<text* const> sources;
    std::vector<std::uint64_t> weights;
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

void join(any_filter& target, const any_view& other) {
    if (!target.merge(other)) throw command_error{"CMS: MERGE overflow"};
}

any_filter empty_like(const any_filter& sketch) {
    auto made = any_filter::create(sketch.spec(), sketch.hash());
    if (!made) throw command_error{failure_text("could not create filter", made.error())};
    return std::move(*made);
}

// sum += weight * sketch, by doubling: no counter of a step is above that of the result.
void add_weighted(any_filter& sum, const any_filter& sketch, std::uint64_t weight) {
    if (weight == 1) return join(sum, sketch);
    any_filter scaled = empty_like(sketch);
    for (auto bit = std::bit_width(weight); bit-- != 0;) {
        join(scaled, scaled);
        if ((weight >> bit & 1) != 0) join(scaled, sketch);
    }
    join(sum, scaled);
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
    const merge_words read = read_words(asked);
    const opened_key key(asked.ctx, asked.key(), both_modes);
    filter_chain& target = key.existing(chain_role::counts, missing_key);
    const any_filter& present = target.links().front().filter;
    for (text* const name : read.sources) {
        const opened_key source(asked.ctx, name, read_mode);
        check_mergeable(present, source.existing(chain_role::counts, missing_key).links().front().filter);
    }
    const std::uint64_t before = allocated_by_this_thread();
    any_filter sum = empty_like(present);
    const std::uint64_t block_bytes = allocated_by_this_thread() - before;
    for (std::size_t i = 0; i < read.sources.size(); ++i) {
        const opened_key source(asked.ctx, read.sources[i], read_mode);
        add_weighted(sum, source.existing(chain_role::counts).links().front().filter, read.weights[i]);
    }
    target.replace_contents(std::move(sum), block_bytes);
    server.replicate_verbatim(asked.ctx);
    server.notify(asked.ctx, module_event, "cms.merge", asked.key());
    reply_ok(asked.ctx);
}

}  // namespace membrane::redis
