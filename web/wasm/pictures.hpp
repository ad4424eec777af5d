// One picture for each idea, as steps. Every step is what the structure itself answers or holds after it: bits and entries are decoded from
// its payload, positions and candidates come from its own probes. The words are inserted in their order; a word that begins with '?' is
// asked for. All pictures use one hash key, so that the same words give the same picture.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/hash/hasher.hpp>

#include "report/json.hpp"

namespace membrane::web {

using report::json;
using words_of_picture = std::span<const std::string>;

json probes_picture(words_of_picture words);
json choices_picture(words_of_picture words);
json blocks_picture(words_of_picture words);
json line_picture(words_of_picture words);
json growth_picture(words_of_picture words);

inline hasher picture_hash() { return {hash_id::siphash13, {0x6d656d6272616e65, 0x7069637475726573}}; }

struct picture_word {
    std::string_view text;
    bool is_question;
    key_hash hash;
};
inline picture_word read_word(std::string_view word) {
    const bool is_question = word.starts_with('?');
    if (is_question) word.remove_prefix(1);
    return {word, is_question, picture_hash()(word)};
}

inline json json_list(std::span<const std::uint64_t> numbers) {
    json list = json::array();
    for (const std::uint64_t number : numbers) list.push_back(number);
    return list;
}

// The numbers of the set bits.
inline json set_bits(std::span<const std::byte> bytes, std::uint64_t bits) {
    json list = json::array();
    for (std::uint64_t i = 0; i < bits; ++i)
        if ((std::to_integer<unsigned>(bytes[i / 8]) >> (i % 8) & 1) != 0) list.push_back(i);
    return list;
}

}  // namespace membrane::web
