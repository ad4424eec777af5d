// Keys that drop into blocks with a threshold: two tables of balanced blocks, and the list.
#include <membrane/kind/balanced_bloom/view.hpp>
#include <membrane/runtime/any_filter.hpp>

#include "pictures.hpp"

namespace membrane::web {

namespace {

constexpr std::uint64_t block_bits = 128, first_blocks = 8, second_blocks = 3, tables = 2, threshold = 3;
using block = bloom_block<block_bits>;

filter_spec spec_of_picture() {
    filter_spec spec = initial_spec(kind_id::balanced_bloom, balanced_bloom_fields);
    spec[balanced_field::scheme] = scheme::multi_level;
    spec[balanced_field::rule] = static_cast<std::uint64_t>(stop_rule::flag);
    spec[balanced_field::block_bits] = block_bits;
    spec[balanced_field::k] = 4;
    spec[balanced_field::d] = tables;
    spec[balanced_field::list_slots] = 16;
    for (std::size_t table = 0; table < tables; ++table) {
        spec[balanced_field::blocks(table)] = table == 0 ? first_blocks : second_blocks;
        spec[balanced_field::h(table)] = threshold;
    }
    return spec;
}

class blocks_of_filter {
public:
    blocks_of_filter()
        : filter_(std::move(*any_filter::create(spec_of_picture(), picture_hash()))),
          placement_(placement_of<multi_level_placement>(spec_of_picture())),
          form_(threshold, true) {}

    block_state state(std::uint64_t number) const {
        // Blocks only change by put and mark_refusal, which this class does not call.
        auto* const bytes = const_cast<std::byte*>(filter_.payload().data());
        return block(bytes + number * block::bytes, form_).state();
    }
    json states() const {
        json all = json::array();
        for (std::uint64_t i = 0; i < first_blocks + second_blocks; ++i)
            all.push_back(json{{"load", state(i).load}, {"has_refused", state(i).has_refused}});
        return all;
    }
    std::uint64_t listed() const {
        return balanced_bloom_view<block_bits, multi_level_placement>(
                   spec_of_picture(), const_cast<std::byte*>(filter_.payload().data()))
            .listed();
    }
    std::uint64_t candidate(const key_hash& hash, std::uint64_t j) const {
        return placement_.bucket(hash, j);
    }
    any_filter& filter() { return filter_; }

private:
    any_filter filter_;
    multi_level_placement placement_;
    block::form form_;
};

}  // namespace

json blocks_picture(words_of_picture words) {
    blocks_of_filter blocks;
    std::vector<std::uint64_t> plain(first_blocks);  // loads if every key stayed where it came first
    json steps = json::array();
    for (const std::string& each : words) {
        const picture_word word = read_word(each);
        const bool answer = blocks.filter().may_contain(word.hash);
        if (word.is_question) {
            // The blocks that the lookup reads: all but the last one may have refused the key.
            std::uint64_t tries = 1;
            while (tries < tables && !answer &&
                   blocks.state(blocks.candidate(word.hash, tries - 1)).has_refused)
                ++tries;
            for (std::uint64_t j = 0; j < tries; ++j)
                steps.push_back(json{{"word", word.text},
                                     {"is_question", true},
                                     {"to", blocks.candidate(word.hash, j)},
                                     {"is_refused", j + 1 < tries},
                                     {"is_last", j + 1 == tries},
                                     {"answer", answer},
                                     {"blocks", blocks.states()},
                                     {"listed", blocks.listed()},
                                     {"plain", json_list(plain)}});
            continue;
        }
        const std::uint64_t listed_before = blocks.listed();
        std::vector<std::uint64_t> loads;
        for (std::uint64_t j = 0; j < tables; ++j)
            loads.push_back(blocks.state(blocks.candidate(word.hash, j)).load);
        const json before = blocks.states();
        if (!answer) ++plain[blocks.candidate(word.hash, 0)];
        [[maybe_unused]] const bool stored = blocks.filter().insert(word.hash);
        const bool is_listed = blocks.listed() != listed_before;
        for (std::uint64_t j = 0; j < tables; ++j) {
            const std::uint64_t to = blocks.candidate(word.hash, j);
            const bool is_taken = blocks.state(to).load != loads[j];
            const bool is_last = answer || is_taken || (j + 1 == tables && !is_listed);
            steps.push_back(json{{"word", word.text},
                                 {"is_question", false},
                                 {"to", to},
                                 {"is_refused", !is_taken && !answer},
                                 {"is_last", is_last},
                                 {"answer", answer},
                                 {"blocks", is_last ? blocks.states() : before},
                                 {"listed", listed_before},
                                 {"plain", json_list(plain)}});
            if (is_last) break;
        }
        if (is_listed)
            steps.push_back(json{{"word", word.text},
                                 {"is_question", false},
                                 {"to", nullptr},
                                 {"is_refused", false},
                                 {"is_last", true},
                                 {"answer", answer},
                                 {"blocks", blocks.states()},
                                 {"listed", blocks.listed()},
                                 {"plain", json_list(plain)}});
    }
    return json{{"first_blocks", first_blocks},
                {"second_blocks", second_blocks},
                {"threshold", threshold},
                {"steps", steps}};
}

}  // namespace membrane::web
