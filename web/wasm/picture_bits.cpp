// Pictures of filters that set bits anywhere in an array: double hashing, and the choice among two groups.
#include <algorithm>

#include <membrane/kind/bloom/view.hpp>
#include <membrane/kind/choice_bloom/view.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "pictures.hpp"

namespace membrane::web {

namespace {

any_filter filter_of(const filter_spec& spec) {
    // The specs of this file are constants that the kinds allow.
    return std::move(*any_filter::create(spec, picture_hash()));
}

bool has_bit(const any_filter& filter, std::uint64_t bit) {
    return (std::to_integer<unsigned>(filter.payload()[bit / 8]) >> (bit % 8) & 1) != 0;
}

std::uint64_t count_bits(const any_filter& filter, std::uint64_t size) {
    std::uint64_t ones = 0;
    for (std::uint64_t bit = 0; bit < size; ++bit) ones += has_bit(filter, bit) ? 1 : 0;
    return ones;
}

// The first `count` positions of a walk.
template <class Walk>
std::vector<std::uint64_t> positions_of(Walk walk, std::uint64_t count) {
    std::vector<std::uint64_t> positions;
    while (positions.size() < count) positions.push_back(walk.next().position());
    return positions;
}

}  // namespace

json probes_picture(words_of_picture words) {
    constexpr std::uint64_t size = 64, k = 5;
    filter_spec spec = initial_spec(kind_id::bloom, bloom_fields);
    spec[flat_field::size] = size;
    spec[flat_field::k] = k;
    spec[flat_field::probes] = probes::two_hash;
    any_filter filter = filter_of(spec);
    const progression_probe<odd_ring, no_growth> probe(size, k);
    json steps = json::array();
    for (const std::string& each : words) {
        const picture_word word = read_word(each);
        const auto origin = probe.origin(word.hash);
        const auto positions = positions_of(probe.places(word.hash), k);
        const bool answer = filter.may_contain(word.hash);
        for (std::uint64_t i = 0; i < k; ++i) {
            const bool was_set = has_bit(filter, positions[i]);
            const bool is_last = i + 1 == k || (word.is_question && !was_set);
            json bits = set_bits(filter.payload(), size);
            if (is_last && !word.is_question) {
                [[maybe_unused]] const bool stored = filter.insert(word.hash);
                bits = set_bits(filter.payload(), size);
            }
            steps.push_back(json{{"word", word.text},
                                 {"is_question", word.is_question},
                                 {"start", origin.at},
                                 {"stride", origin.step},
                                 {"probe", i},
                                 {"positions", json_list(std::span(positions).first(i + 1))},
                                 {"was_set", was_set},
                                 {"is_last", is_last},
                                 {"answer", answer},
                                 {"bits", bits}});
            if (is_last) break;
        }
    }
    return json{{"size", size}, {"k", k}, {"steps", steps}};
}

json choices_picture(words_of_picture words) {
    constexpr std::uint64_t size = 96, k = 4, choices = 2;
    filter_spec spec = initial_spec(kind_id::choice_bloom, choice_bloom_fields);
    spec[choice_field::size] = size;
    spec[choice_field::k] = k;
    spec[choice_field::choices] = choices;
    spec[choice_field::probes] = probes::independent;
    any_filter filter = filter_of(spec);
    // The same bits without a choice, beside it.
    filter_spec plain_spec = initial_spec(kind_id::bloom, bloom_fields);
    plain_spec[flat_field::size] = size;
    plain_spec[flat_field::k] = k;
    plain_spec[flat_field::probes] = probes::independent;
    any_filter plain = filter_of(plain_spec);
    const independent_probe probe(size, k);
    json steps = json::array();
    for (const std::string& each : words) {
        const picture_word word = read_word(each);
        json groups = json::array(), new_bits = json::array();
        std::uint64_t taken = 0, fewest = k + 1;
        for (std::uint64_t g = 0; g < choices; ++g) {
            auto positions = positions_of(probe.places(word.hash, stream::group * g), k);
            groups.push_back(json_list(positions));
            std::sort(positions.begin(), positions.end());
            positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
            const auto unset = static_cast<std::uint64_t>(
                std::count_if(positions.begin(), positions.end(),
                              [&](std::uint64_t bit) { return !has_bit(filter, bit); }));
            new_bits.push_back(unset);
            if (unset < fewest) fewest = unset, taken = g;
        }
        const auto add_step = [&](bool is_last) {
            steps.push_back(json{{"word", word.text},
                                 {"is_question", word.is_question},
                                 {"groups", groups},
                                 {"new_bits", new_bits},
                                 {"taken", taken},
                                 {"is_last", is_last},
                                 {"answer", filter.may_contain(word.hash)},
                                 {"ones", count_bits(filter, size)},
                                 {"ones_without_choice", count_bits(plain, size)},
                                 {"bits", set_bits(filter.payload(), size)}});
        };
        add_step(word.is_question);
        if (word.is_question) continue;
        [[maybe_unused]] const bool stored = filter.insert(word.hash) && plain.insert(word.hash);
        add_step(true);
    }
    return json{{"size", size}, {"k", k}, {"steps", steps}};
}

}  // namespace membrane::web
