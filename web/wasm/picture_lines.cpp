// Pictures of balanced_rank: a line that fills up and forwards, and a filter that grows line by line.
#include <utility>

#include <membrane/kind/balanced_rank/growth.hpp>
#include <membrane/kind/balanced_rank/view.hpp>

#include "pictures.hpp"

namespace membrane::web {

namespace {

json entry_json(const line_entry& entry) {
    return json{{"chain", entry.chain}, {"fingerprint", entry.fingerprint}};
}

// The lines of one table, decoded from their bytes.
json lines_json(const line_layout& layout, std::byte* bytes, std::uint64_t count) {
    json lines = json::array();
    for (std::uint64_t i = 0; i < count; ++i) {
        const line<> here(layout, bytes + i * rank_line_bytes);
        json entries = json::array();
        here.for_each([&](const line_entry& entry) { entries.push_back(entry_json(entry)); });
        lines.push_back(json{{"entries", entries}, {"has_forwarded", here.has_forwarded()}});
    }
    return lines;
}

filter_spec spec_of_two_lines() {
    filter_spec spec = initial_spec(kind_id::balanced_rank, balanced_rank_fields);
    spec[balanced_rank_field::form] = balanced_rank_form::growable;
    spec[balanced_rank_field::lines] = 2;
    spec[balanced_rank_field::chains] = 8;
    spec[balanced_rank_field::cells] = 8;
    spec[balanced_rank_field::fingerprint_bits] = 7;
    spec[balanced_rank_field::served_chains] = 16;
    spec[balanced_rank_field::second_chains] = 8;
    spec[balanced_rank_field::second_cells] = 8;
    spec[balanced_rank_field::second_fingerprint_bits] = 8;
    spec[balanced_rank_field::list_slots] = 16;
    spec[balanced_rank_field::universe] = 2048;  // 2 lines of 8 chains of 2^7 fingerprints
    return spec;
}

}  // namespace

json line_picture(words_of_picture words) {
    const filter_spec spec = spec_of_two_lines();
    auto payload = aligned_buffer::zeroed(*growable_rank_view::payload_bytes(spec));
    growable_rank_view view(spec, payload->data());
    const std::uint64_t lines = spec[balanced_rank_field::lines];
    json steps = json::array();
    for (const std::string& each : words) {
        const picture_word word = read_word(each);
        const rank_address at = view.digits().of(word.hash);
        const bool answer = view.may_contain(word.hash);
        const insertion done = word.is_question ? insertion::present : view.insert_one(word.hash);
        steps.push_back(
            json{{"word", word.text},
                 {"is_question", word.is_question},
                 {"number", view.digits().number(word.hash)},
                 {"line", at.line},
                 {"entry", entry_json(at.entry)},
                 {"answer", answer},
                 {"is_refused", done == insertion::refused},
                 {"lines", lines_json(first_layout(spec), payload->data(), lines)},
                 {"second", lines_json(second_layout(spec), payload->data() + lines * rank_line_bytes,
                                       second_lines(spec))}});
    }
    return json{{"cells", spec[balanced_rank_field::cells]},
                {"chains", spec[balanced_rank_field::chains]},
                {"universe", spec[balanced_rank_field::universe]},
                {"second_cells", spec[balanced_rank_field::second_cells]},
                {"steps", steps}};
}

namespace {

using growing_rank = rank_growth<growable_rank_view>;

// How full each line of the memory is, and which layout it is in ('o'ld, 'n'ew, or not yet in use): while the filter grows, lines from
// `moved_to` on are in the new one.
struct memory_map {
    json entries = json::array();
    std::string layouts{};

    memory_map(const growing_rank& filter, const filter_spec& old_spec, std::uint64_t moved_to) {
        auto* const bytes = const_cast<std::byte*>(filter.buffer().data());
        const line_layout old_layout = first_layout(old_spec), new_layout = first_layout(filter.spec());
        for (std::uint64_t i = 0; i < filter.spec()[balanced_rank_field::lines]; ++i) {
            const bool is_new = !filter.is_growing() || i >= moved_to;
            const bool is_old = !is_new && i < old_spec[balanced_rank_field::lines];
            const line<> here(is_new ? new_layout : old_layout, bytes + i * rank_line_bytes);
            entries.push_back(std::uint64_t{is_new || is_old ? here.count() : 0});
            layouts += is_new ? 'n' : is_old ? 'o' : '-';
        }
    }
};

}  // namespace

json growth_picture(words_of_picture words) {
    constexpr std::uint64_t planned = 3000, universe = std::uint64_t{1} << 18, first_shown = 2000,
                            keys = 3600, keys_of_a_step = 100, lines_of_a_step = 6;
    growth_policy policy;
    policy.lines_per_insertion = 1;
    const filter_spec first = number_layout(balanced_rank_form::growable, universe, planned);
    auto filter = *growing_rank::create(first, policy);
    filter_spec old_spec = first;
    std::uint64_t moved_before = 0, moved_shown = 0, shown = 0;
    bool was_growing = false;
    json steps = json::array();
    for (std::uint64_t i = 0; i < keys; ++i) {
        const std::string word = i < words.size() ? words[i] : "key " + std::to_string(i);
        const filter_spec spec_before = filter.spec();
        const std::uint64_t moved_by_then = filter.lines_moved();
        filter.insert(read_word(word).hash);
        const bool is_growing = filter.is_growing();
        if (is_growing && !was_growing) old_spec = spec_before, moved_before = moved_by_then;
        const bool is_step = is_growing != was_growing ||
                             (is_growing && filter.lines_moved() >= moved_shown + lines_of_a_step) ||
                             (!is_growing && i + 1 >= std::max<std::uint64_t>(first_shown, words.size()) &&
                              i >= shown + keys_of_a_step);
        was_growing = is_growing;
        if (!is_step) continue;
        shown = i;
        moved_shown = filter.lines_moved();
        const std::uint64_t total = filter.spec()[balanced_rank_field::lines];
        const std::uint64_t moved_to = is_growing ? total - (moved_shown - moved_before) : 0;
        json places = json::array();
        for (const std::string& each : words) {
            const key_hash hash = read_word(each).hash;
            const number_digits digits(filter.spec());
            const bool is_old = digits.of(hash).line < moved_to;
            const rank_address at = is_old ? number_digits(old_spec).of(hash) : digits.of(hash);
            places.push_back(json{{"word", each},
                                  {"number", digits.number(hash)},
                                  {"line", at.line},
                                  {"entry", entry_json(at.entry)},
                                  {"is_old", is_old},
                                  {"answer", filter.may_contain(hash)}});
        }
        const memory_map memory(filter, old_spec, moved_to);
        steps.push_back(json{{"keys", i + 1},
                             {"is_growing", is_growing},
                             {"bytes", filter.held_bytes()},
                             {"cells", filter.spec()[balanced_rank_field::cells]},
                             {"entries", memory.entries},
                             {"layouts", memory.layouts},
                             {"words", places}});
    }
    return json{{"universe", universe}, {"steps", steps}};
}

}  // namespace membrane::web
