// Any bytes, as a program: a spec, then operations on two filters beside exact counts of the same keys. After every
// step no key is missed, no estimate is too low, and a refused call has changed nothing.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/number_files.hpp>

#include "exercise.hpp"
#include "memory_limit.hpp"
#include "moved_bits.hpp"
#include "spec_pool.hpp"

using namespace membrane;

namespace {

// Small everything: what goes wrong goes wrong with few keys, and the number of runs is what finds it.
constexpr std::uint64_t max_payload_bytes = 1024;
constexpr std::size_t max_steps = 100;
constexpr std::uint64_t key_count = 64;

class input {
public:
    explicit input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    bool is_empty() const { return bytes_.empty(); }
    std::uint8_t byte() {
        if (bytes_.empty()) return 0;
        const std::uint8_t first = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return first;
    }
    // Mostly small, now and then as large as it gets.
    std::uint64_t number() {
        const std::uint8_t first = byte();
        if (first < 224) return first;
        const unsigned shift = (first & 31u) * 2u;
        return (std::uint64_t{1} << shift) - 1 + byte();
    }

private:
    std::span<const std::uint8_t> bytes_;
};

// Totals stay at their maximum.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a + std::min(b, UINT64_MAX - a); }

using key_hashes = std::array<key_hash, key_count>;

// The types of keys take turns; integers and text hash differently, so that no two keys are the same.
key_hashes hashes_of_keys(const hasher& hash) {
    key_hashes made;
    for (std::uint64_t key = 0; key < key_count; ++key) {
        if (key % 3 == 0) made[key] = hash(key);
        else if (key % 3 == 1)
            made[key] =
                hash(std::string_view("abcdefghijklmnopqrstuvwxyz0123456789").substr(key % 25, 1 + key / 8));
        else made[key] = integer_fold(hash.key, key);
    }
    return made;
}

// A filter and what is truly in it.
struct subject {
    any_filter filter;
    const key_hashes* hashes;
    std::array<std::uint64_t, key_count> truth{};
    std::uint64_t present = 0;  // bit i: truth[i] is not 0
    std::uint64_t keys = 0;

    key_hash hash_of(std::uint64_t key) const { return (*hashes)[key]; }

    void check(std::uint64_t key) const {
        const key_hash hash = hash_of(key);
        const bool may = filter.may_contain(hash);
        MEMBRANE_REQUIRE(may || truth[key] == 0);
        if (const auto estimate = filter.estimate(hash)) {
            MEMBRANE_REQUIRE(*estimate >= std::min(truth[key], filter.largest_estimate()));
            MEMBRANE_REQUIRE((*estimate != 0) == may);
        }
        MEMBRANE_REQUIRE(filter.keys() == keys);
    }
    void check_all() const {
        for (std::uint64_t left = present; left != 0; left &= left - 1)
            check(static_cast<std::uint64_t>(std::countr_zero(left)));
    }

    void set(std::uint64_t key, std::uint64_t count) {
        truth[key] = count;
        present &= ~(std::uint64_t{1} << key);
        present |= std::uint64_t{count != 0} << key;
    }
    void count(std::uint64_t key, std::uint64_t times) {
        set(key, sum(truth[key], times));
        keys = sum(keys, times);
    }
};

// Runs a call that may be refused; if it is, no byte is different.
template <class Call>
bool whole_or_refused(any_filter& filter, const Call& call) {
    static std::array<std::byte, max_payload_bytes> before;
    const auto payload = filter.payload();
    std::copy(payload.begin(), payload.end(), before.begin());
    const std::uint64_t keys = filter.keys();
    const filter_spec spec = filter.spec();
    const bool done = call();
    if (done) return true;
    MEMBRANE_REQUIRE(filter.keys() == keys && filter.spec() == spec &&
                     filter.payload().size() == payload.size());
    MEMBRANE_REQUIRE(std::memcmp(before.data(), filter.payload().data(), payload.size()) == 0);
    return false;
}

void insert_one(subject& a, std::uint64_t key) {
    const key_hash hash = a.hash_of(key);
    if (whole_or_refused(a.filter, [&] { return a.filter.insert(hash); })) a.count(key, 1);
    a.check(key);
}

void insert_absent(subject& a, std::uint64_t key) {
    const key_hash hash = a.hash_of(key);
    const bool was_in = a.filter.may_contain(hash);
    bool is_refused = false;
    const bool stored = whole_or_refused(a.filter, [&] {
        const auto outcome = a.filter.try_insert_if_absent(hash);
        is_refused = !outcome.has_value();
        return outcome && *outcome;
    });
    MEMBRANE_REQUIRE((!is_refused && !stored) == was_in);
    if (stored) a.count(key, 1);
    a.check(key);
}

void insert_many(subject& a, std::uint64_t first, std::size_t count) {
    std::array<key_hash, 96> some;
    const auto key_at = [&](std::size_t i) { return (first + i * 7) % key_count; };
    for (std::size_t i = 0; i < count; ++i) some[i] = a.hash_of(key_at(i));
    const auto hashes = std::span<const key_hash>(some).first(count);
    const std::size_t stored = a.filter.insert_many(hashes);
    MEMBRANE_REQUIRE(stored <= count);
    for (std::size_t i = 0; i < stored; ++i) a.count(key_at(i), 1);
    std::array<std::uint64_t, 2> answers{};
    MEMBRANE_REQUIRE(a.filter.may_contain_many(hashes, answers) >= stored);
    for (std::size_t i = 0; i < count; ++i)
        MEMBRANE_REQUIRE((((answers[i / 64] >> (i % 64)) & 1) != 0) == a.filter.may_contain(hashes[i]));
    a.check_all();
}

void erase(subject& a, std::uint64_t key) {
    const key_hash hash = a.hash_of(key);
    // Erasing a key that only seems present is the caller's mistake: not made here.
    if (a.truth[key] == 0 && a.filter.may_contain(hash)) return;
    const bool erased = whole_or_refused(a.filter, [&] {
        const auto done = a.filter.erase(hash);
        MEMBRANE_REQUIRE(!done || *done == (a.truth[key] != 0));
        return done && *done;
    });
    if (!erased) return;
    a.set(key, a.truth[key] - 1);
    a.keys -= a.keys != 0 ? 1 : 0;
}

void add(subject& a, std::uint64_t key, std::uint64_t weight) {
    const key_hash hash = a.hash_of(key);
    if (whole_or_refused(a.filter, [&] { return a.filter.add(hash, weight).has_value(); }))
        a.count(key, weight);
    a.check(key);
}

void merge(subject& a, const subject& b) {
    if (!whole_or_refused(a.filter, [&] { return a.filter.merge(b.filter).has_value(); })) return;
    for (std::uint64_t key = 0; key < key_count; ++key) a.set(key, sum(a.truth[key], b.truth[key]));
    a.keys = sum(a.keys, b.keys);
    a.check_all();
}

void intersect(subject& a, const subject& b) {
    if (!whole_or_refused(a.filter, [&] { return a.filter.intersect(b.filter).has_value(); })) return;
    for (std::uint64_t key = 0; key < key_count; ++key) a.set(key, std::min(a.truth[key], b.truth[key]));
    a.keys = std::min(a.keys, b.keys);
    a.check_all();
}

void fold_both(subject& a, subject& b, std::uint64_t times) {
    const auto fold = [&](subject& one) {
        return whole_or_refused(one.filter, [&] { return one.filter.fold(times).has_value(); });
    };
    const bool folded = fold(a);
    MEMBRANE_REQUIRE(fold(b) == folded);
    a.check_all();
    b.check_all();
}

// So that whole_or_refused has room for what it compares.
void limit_growth(any_filter& filter) {
    if (filter.universe() != 0)
        MEMBRANE_REQUIRE(filter.set_growth({.max_bytes = max_payload_bytes}).has_value());
}

void save_and_open(subject& a) {
    MEMBRANE_REQUIRE(a.filter.settle().has_value());
    auto file = file_bytes_of(a.filter);
    auto opened = any_filter::open_copy(file);
    MEMBRANE_REQUIRE(opened.has_value() && same_bytes(*opened, a.filter) &&
                     opened->spec() == a.filter.spec());
    a.filter = std::move(*opened);
    limit_growth(a.filter);
    a.check_all();
}

// Other layouts of the same keys.
void lay_out_anew(subject& a, std::uint8_t how, std::uint8_t much) {
    if (a.filter.universe() == 0) return;  // lower_rate would fold one filter of two
    whole_or_refused(a.filter, [&] {
        if (how % 3 == 0) return a.filter.reserve(much * std::uint64_t{4}).has_value();
        if (how % 3 == 1) return a.filter.shrink_to_fit().has_value();
        return a.filter.lower_rate((much + 1) / 257.0).has_value();
    });
    a.check_all();
}

// Packed and unpacked, and patched from the other filter: the same answers.
void send(subject& a, const subject& b) {
    if (a.filter.universe() == 0) return;
    auto unpacked = any_filter::unpack(*a.filter.pack());
    MEMBRANE_REQUIRE(unpacked.has_value() && unpacked->keys() == a.filter.keys());
    const auto patch = diff(b.filter, a.filter);
    if (patch) {
        MEMBRANE_REQUIRE(a.filter.settle().has_value());
        const auto made = patched(b.filter, *patch);
        MEMBRANE_REQUIRE(made.has_value() && same_bytes(*made, a.filter));
    }
    if (unpacked->size_bytes() > max_payload_bytes) return;
    a.filter = std::move(*unpacked);
    limit_growth(a.filter);
    a.check_all();
}

void open_changed(const subject& a, input& program) {
    std::vector<moved_bits> moves(program.byte() % 4u + 1);
    for (moved_bits& move : moves) {
        move.from = program.byte() * std::uint64_t{256} + program.byte();
        move.to = program.byte() * std::uint64_t{256} + program.byte();
        move.count = program.byte() % 64u + 1;
    }
    const auto file = file_with_moved_bits(a.filter, moves);
    if (const auto opened = any_view::open(file)) exercise(*opened, false);
}

void refuse_unlike(subject& a) {
    auto other = any_filter::create(a.filter.spec(), {a.filter.hash().id, {a.filter.hash().key.low + 1, 0}});
    MEMBRANE_REQUIRE(other.has_value());
    MEMBRANE_REQUIRE(!whole_or_refused(a.filter, [&] { return a.filter.merge(*other).has_value(); }));
    MEMBRANE_REQUIRE(!whole_or_refused(a.filter, [&] { return a.filter.intersect(*other).has_value(); }));
}

void step(input& program, subject& a, subject& b) {
    const std::uint8_t operation = program.byte();
    const auto key = [&] { return program.byte() % key_count; };
    switch (operation % 16) {
        case 0:
        case 1: return insert_one(a, key());
        case 2: return insert_absent(a, key());
        case 3: {
            const std::uint64_t first = key();
            const std::uint8_t count = program.byte();
            return insert_many(
                a, first, count < 240 ? count % 24 : count - 160);  // past one word of answers only rarely
        }
        case 4:
        case 5: return erase(a, key());
        case 6: {
            const std::uint64_t counted = key();
            return add(a, counted, program.number());
        }
        case 7:
            if (operation >= 128) return open_changed(a, program);
            return a.check(key());
        case 8: return merge(a, b);
        case 9: return intersect(a, b);
        case 10: return fold_both(a, b, program.byte() % 4);
        case 11: return save_and_open(a);
        case 12: return std::swap(a, b);
        case 13:
            a.filter.clear();
            a.truth.fill(0);
            a.present = a.keys = 0;
            return;
        case 14:
            if (operation < 128) return refuse_unlike(a);
            if (operation < 160) return send(a, b);
            return lay_out_anew(a, operation / 16, program.byte());
        default: return a.check_all();
    }
}

// A pool's spec, with one field changed to anything that its rules allow.
filter_spec chosen_spec(input& program) {
    static const std::vector<std::vector<filter_spec>> pools = [] {
        std::vector<std::vector<filter_spec>> made;
        for (const kind_entry& kind : registry()) made.push_back(small_specs(kind, max_payload_bytes));
        return made;
    }();
    const std::size_t which = program.byte() % pools.size();
    filter_spec spec = pools[which][program.byte() % pools[which].size()];
    const kind_entry& kind = registry()[which];
    filter_spec changed = spec;
    const std::size_t field = program.byte() % (2 * kind.rules.fields.size());
    if (field < kind.rules.fields.size()) changed[field] = program.number();
    return fits(kind, changed, max_payload_bytes) ? changed : spec;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzz::memory_limit limit(size);
    input program(std::span(data, size));
    const filter_spec spec = chosen_spec(program);
    const hasher hash{hash_names[program.byte() % hash_names.size()].id, {program.byte(), 0}};
    auto first = any_filter::create(spec, hash);
    auto second = any_filter::create(spec, hash);
    MEMBRANE_REQUIRE(first.has_value() && second.has_value());
    limit_growth(*first);
    limit_growth(*second);
    const key_hashes hashes = hashes_of_keys(hash);
    subject a{std::move(*first), &hashes};
    subject b{std::move(*second), &hashes};
    for (std::size_t steps = 0; steps < max_steps && !program.is_empty(); ++steps) step(program, a, b);
    a.check_all();
    b.check_all();
    exercise_reading(a.filter, false);
    return 0;
}
