// What may be a key, and how it becomes a key_hash.
//
//   integers, enumerations   their value: equal values are equal keys, whatever the type
//   text                     its bytes: std::string, std::string_view, const char*, and the same of char8_t
//   bytes                    contiguous ranges of std::byte or unsigned char
//   pairs, tuples, arrays    of keys: each part is hashed, then the hashes are
//   key_hash                 as it is
//   types of your own        through a function beside the type, found by its name:
//                                auto membrane_key(const user_id& id) { return id.number; }           // one key
//                                auto membrane_key(const point& p) { return std::tuple(p.x, p.y); }   // of several parts
//
// Refused: floating point, bool, characters and pointers, in which equal values may be different keys, or a mistake is likely.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <membrane/base/endian.hpp>
#include <membrane/hash/hasher.hpp>
#include <membrane/hash/integer_hash.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

enum class key_form : std::uint8_t { none, hash, integer, text, u8_text, bytes, parts, own };

namespace key_detail {

template <class Key>
concept is_character = std::same_as<Key, char> || std::same_as<Key, wchar_t> || std::same_as<Key, char8_t> ||
    std::same_as<Key, char16_t> || std::same_as<Key, char32_t>;

template <class Key>
concept is_integer = std::is_enum_v<Key> ||
    (std::integral<Key> && !std::same_as<Key, bool> && !is_character<Key>);

template <class Key>
concept is_text = std::convertible_to<const Key&, std::string_view> && !std::same_as<Key, std::nullptr_t>;

// u8"..." literals are arrays with a zero at the end, which is no part of the text.
template <class Key>
concept is_u8_text =
    std::convertible_to<const Key&, std::u8string_view> && !std::same_as<Key, std::nullptr_t>;

template <class Key>
concept is_bytes = std::ranges::contiguous_range<const Key> && std::ranges::sized_range<const Key> &&
    (std::same_as<std::ranges::range_value_t<const Key>, std::byte> ||
     std::same_as<std::ranges::range_value_t<const Key>, unsigned char>);

template <class Key>
concept has_own_function = requires(const Key& key) {
    membrane_key(key);
};

template <class Key>
concept has_parts = requires {
    std::tuple_size<Key>::value;
};

template <class Key>
constexpr key_form form_of() {
    if constexpr (std::same_as<Key, key_hash>) return key_form::hash;
    else if constexpr (has_own_function<Key>) return key_form::own;
    else if constexpr (is_integer<Key>) return key_form::integer;
    else if constexpr (is_text<Key>) return key_form::text;
    else if constexpr (is_u8_text<Key>) return key_form::u8_text;
    else if constexpr (is_bytes<Key>) return key_form::bytes;
    else if constexpr (has_parts<Key>) return key_form::parts;
    else return key_form::none;
}

template <class Key>
constexpr bool is_whole_key() {
    constexpr key_form form = form_of<Key>();
    if constexpr (form == key_form::own)
        return is_whole_key<std::remove_cvref_t<decltype(membrane_key(std::declval<const Key&>()))>>();
    else if constexpr (form == key_form::parts) return []<std::size_t... Part>(std::index_sequence<Part...>) {
            return (is_whole_key<std::remove_cvref_t<std::tuple_element_t<Part, Key>>>() && ...);
        }
    (std::make_index_sequence<std::tuple_size_v<Key>>());
    else return form != key_form::none; }

}  // namespace key_detail

// A type that filters take without a hash function of the program's own.
template <class Key>
concept filter_key = key_detail::is_whole_key<std::remove_cvref_t<Key>>();

// A hash function of the program's own: 64 bits, or 128 as a key_hash, both of whose words are uniform.
template <class Hash, class Key>
concept own_hash_of = requires(const Hash& hash, const Key& key) {
    requires std::same_as<std::remove_cvref_t<decltype(hash(key))>, key_hash> ||(
        std::unsigned_integral<std::remove_cvref_t<decltype(hash(key))>> && sizeof(decltype(hash(key))) == 8);
};

// Whether all 64 bits of a hash function's results are uniform, so that a filter may use them as they are. By default they are mixed
// first: std::hash of an integer is the integer. A function says so by a type is_avalanching inside of it, as Boost and
// ankerl::unordered_dense ask for; for a function of somebody else:
//     template <> inline constexpr bool membrane::is_uniform_hash<their_hash> = true;
template <class Hash>
inline constexpr bool is_uniform_hash = false;
template <class Hash>
requires requires { typename Hash::is_avalanching; }
inline constexpr bool is_uniform_hash<Hash> = [] {
    if constexpr (requires { Hash::is_avalanching::value; }) return bool{Hash::is_avalanching::value};
    else return true;
}();

// Whether a filter with this hash function takes this key.
template <class Key, class Hash>
concept key_for = (std::same_as<Hash, hasher> && filter_key<Key>) ||
                  (!std::same_as<Hash, hasher> && (own_hash_of<Hash, Key> || std::same_as<Key, key_hash>));

namespace key_detail {

template <class Key>
key_hash hash_integer(const hasher& hash, Key key) noexcept {
    if constexpr (std::is_enum_v<Key>) return hash_integer(hash, static_cast<std::uint64_t>(key));
    else if constexpr (sizeof(Key) <= 8) return hash(key);
    else {
        // Wider integers: their bytes, the lowest first.
        std::byte bytes[sizeof(Key)];
        for (std::size_t i = 0; i < sizeof(Key); ++i) bytes[i] = static_cast<std::byte>(key >> (8 * i));
        return hash(std::span<const std::byte>(bytes));
    }
}

}  // namespace key_detail

// The assertions are on plain constants, for which compilers print the sentence and no more.
template <class Key>
decltype(auto) hash_of(const hasher& hash, const Key& key) {
    constexpr key_form form = key_detail::form_of<Key>();
    constexpr bool is_no_floating_point = !std::floating_point<Key>;
    static_assert(
        is_no_floating_point,
        "membrane: floating-point keys are refused, as 0.0 == -0.0 and NaN != NaN: insert an integer, "
        "or std::bit_cast<std::uint64_t>(key)");
    constexpr bool is_key = filter_key<Key> || std::floating_point<Key>;
    static_assert(
        is_key,
        "membrane: no key: pass an integer, an enum, text, bytes, or a pair, tuple or array of them; write "
        "`auto membrane_key(const T&)` beside a type T of your own, which returns one of these; cast bool, "
        "single characters and pointers; use insert_many for ranges");
    if constexpr (!filter_key<Key>) {
        return key_hash{};
    } else if constexpr (form == key_form::hash) {
        return hash(key);  // the caller's: see hasher
    } else if constexpr (form == key_form::own) {
        return key_hash(hash_of(hash, membrane_key(key)));
    } else if constexpr (form == key_form::integer) {
        return key_detail::hash_integer(hash, key);
    } else if constexpr (form == key_form::text) {
        return hash(std::string_view(key));
    } else if constexpr (form == key_form::u8_text) {
        return hash(std::as_bytes(std::span(std::u8string_view(key))));
    } else if constexpr (form == key_form::bytes) {
        return hash(std::as_bytes(std::span(std::ranges::data(key), std::ranges::size(key))));
    } else {
        return std::apply(
            [&](const auto&... parts) {
                std::byte words[16 * sizeof...(parts) + 1];
                std::size_t at = 0;
                [[maybe_unused]] const auto append = [&](const key_hash& part) {
                    store_le(words + at, part.low);
                    store_le(words + at + 8, part.high);
                    at += 16;
                };
                (append(hash_of(hash, parts)), ...);
                return hash(std::span<const std::byte>(words, at));
            },
            key);
    }
}

// With a hash function of the program's own. 64 bits become two words: every filter takes its decisions from both. Bits that may not be
// uniform are mixed before.
template <class Hash, class Key>
requires(!std::same_as<Hash, hasher>) decltype(auto) hash_of(const Hash& hash, const Key& key) {
    constexpr bool is_key = key_for<Key, Hash>;
    static_assert(is_key, "membrane: the filter's hash function does not take a key of this type");
    if constexpr (std::same_as<Key, key_hash>) {
        return static_cast<const key_hash&>(key);
    } else if constexpr (!is_key) {
        return key_hash{};
    } else if constexpr (std::same_as<std::remove_cvref_t<decltype(hash(key))>, key_hash>) {
        return key_hash(hash(key));
    } else {
        const std::uint64_t word = is_uniform_hash<Hash> ? hash(key) : finalise64(hash(key));
        return key_hash{word, finalise64(word + 0x9e3779b97f4a7c15)};
    }
}

}  // namespace membrane
