#include <membrane/runtime/number_files.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>

#include <membrane/base/checked_math.hpp>
#include <membrane/base/endian.hpp>
#include <membrane/format/encode.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/format/packed.hpp>
#include <membrane/hash/xxh3.hpp>
#include <membrane/part/number_code.hpp>
#include <membrane/runtime/registry.hpp>

#include "runtime/number_streams.hpp"

namespace membrane {

namespace {

bool is_multiset(const any_view& filter) { return filter.kind().ops_for(filter.spec()).grows->is_multiset; }

// A filter is at most so many times as large as the bytes that make it: numbers that come 128 times each take the most.
std::uint64_t most_made_bytes(std::uint64_t from_bytes) {
    return checked_multiply(from_bytes, 256).value_or(UINT64_MAX / 2) + 4096;
}

std::vector<std::byte> encoded(stream numbers, std::uint64_t universe, bool keeps_times,
                               const number_count& count) {
    number_encoder encoder(count.distinct, universe, keeps_times);
    while (const auto each = numbers.next()) encoder.add(*each);
    return encoder.take();
}

// Work that may run out of memory.
template <class Work>
auto guarded(const Work& work) -> decltype(work()) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return make_error(errc::out_of_memory, "numbers of the filter");
    }
}

class decoded_source final : public number_source {
public:
    decoded_source(std::span<const std::byte> bytes, std::uint64_t universe, bool keeps_times, bool& is_bad)
        : decoder_(bytes, universe, keeps_times), is_bad_(is_bad) {}
    std::optional<counted_number> next() override {
        const auto number = decoder_.next();
        if (!number) is_bad_ = is_bad_ || decoder_.is_bad();
        return number;
    }

private:
    number_decoder decoder_;
    bool& is_bad_;
};

error bad_numbers(const char* what) {
    return make_error(errc::bad_payload, what).with_note("they are not ascending numbers of the universe");
}

}  // namespace

// ---- packed

result<std::vector<std::byte>> pack_numbers(const any_view& filter) {
    return guarded([&]() -> result<std::vector<std::byte>> {
        const auto numbers = filter.numbers();
        if (!numbers) return numbers.error();
        const number_count count = counted(stream(filter));
        const filter_spec layout =
            filter.kind()
                .ops_for(filter.spec())
                .grows->layout_for(filter.spec(), filter.universe(), std::max<std::uint64_t>(count.cells, 1));
        const auto made = filter_of_numbers(
            filter, layout, filter.keys(), [&] { return stream(filter).source(); }, no_byte_limit);
        if (!made) return made.error();
        const auto bytes = encoded(stream(filter), filter.universe(), is_multiset(filter), count);
        return encode_packed(encode_header(made->as_file(), payload_checksum(made->payload())), bytes);
    });
}

result<any_filter> unpack_numbers(const any_view& like, const filter_spec& spec, std::uint64_t keys,
                                  std::span<const std::byte> bytes, std::uint64_t max_bytes) {
    return guarded([&]() -> result<any_filter> {
        const auto size = like.kind().rules.payload_bytes(spec);
        if (!size || *size > std::min(max_bytes, most_made_bytes(bytes.size())))
            return make_error(errc::too_large, "filter bytes")
                .with_found(size.value_or(UINT64_MAX))
                .with_range(0, std::min(max_bytes, most_made_bytes(bytes.size())));
        bool is_bad = false;
        auto made = filter_of_numbers(
            like, spec, keys,
            [&] {
                return std::make_unique<decoded_source>(bytes, like.universe(), is_multiset(like), is_bad);
            },
            max_bytes);
        if (is_bad) return bad_numbers("packed numbers");
        return made;
    });
}

// ---- difference

namespace {

// In a patch, behind its magic: the header of the newer filter, then these numbers of 8 bytes, then both packed.
constexpr std::array<unsigned char, 8> patch_magic{0x89, 'M', 'B', 'D', 0x0d, 0x0a, 0x1a, 0x0a};
constexpr std::size_t header_at = 8;
enum : std::size_t { older_checksum, came_bytes, went_bytes, checksum_of_both, numbers_of_a_patch };

struct open_patch {
    header_view header;
    std::uint64_t older = 0;
    std::span<const std::byte> came, went;
};

result<open_patch> opened(std::span<const std::byte> file) {
    if (!is_patch(file))
        return make_error(errc::not_a_membrane_file, "first bytes are not those of a patch")
            .with_note("give a file that `membrane diff` wrote")
            .at_offset(0);
    const auto header = open_header(file.subspan(header_at), registered_rules());
    if (!header) {
        error problem = header.error();
        if (problem.offset) problem.at_offset(*problem.offset + header_at);
        return problem;
    }
    const std::size_t numbers_at = header_at + static_cast<std::size_t>(header->header_bytes);
    const std::size_t bytes_at = numbers_at + 8 * numbers_of_a_patch;
    if (file.size() < bytes_at)
        return make_error(errc::truncated, "patch")
            .with_found(file.size())
            .with_range(bytes_at, UINT64_MAX)
            .at_offset(file.size());
    const auto number = [&](std::size_t which) {
        return load_le<std::uint64_t>(file.data() + numbers_at + 8 * which);
    };
    const auto bytes = file.subspan(bytes_at);
    const auto both = checked_add(number(came_bytes), number(went_bytes));
    if (!both || *both != bytes.size())
        return make_error(both && *both < bytes.size() ? errc::trailing_bytes : errc::truncated,
                          "numbers of the patch")
            .with_found(bytes.size())
            .with_expected(both.value_or(UINT64_MAX))
            .at_offset(bytes_at);
    if (const auto computed = checksum64(bytes); computed != number(checksum_of_both))
        return make_error(errc::bad_payload_checksum, "numbers of the patch")
            .with_found(computed)
            .with_expected(number(checksum_of_both))
            .at_offset(bytes_at);
    const auto came = static_cast<std::size_t>(number(came_bytes));
    return open_patch{*header, number(older_checksum), bytes.first(came), bytes.subspan(came)};
}

result<void> check_same_universe(const any_view& older, const any_view& newer) {
    if (auto alike = check_same_numbers(older, newer); !alike) return alike;
    const std::size_t form = older.kind().ops_for(older.spec()).grows->field;
    if (older.spec()[form] != newer.spec()[form])
        return make_error(errc::spec_mismatch, "form")
            .with_found(newer.spec()[form])
            .with_expected(older.spec()[form]);
    if (older.universe() != newer.universe())
        return make_error(errc::spec_mismatch, "universe")
            .with_found(newer.universe())
            .with_expected(older.universe())
            .with_note(
                "the newer filter must have grown out of the older one, or be built with the same rate and "
                "growth");
    return {};
}

}  // namespace

bool is_patch(std::span<const std::byte> file) noexcept {
    return file.size() >= patch_magic.size() &&
           std::memcmp(file.data(), patch_magic.data(), patch_magic.size()) == 0;
}

result<std::vector<std::byte>> diff(const any_view& older, const any_view& newer) {
    return guarded([&]() -> result<std::vector<std::byte>> {
        if (auto alike = check_same_universe(older, newer); !alike) return alike.error();
        for (const any_view* each : {&older, &newer})
            if (const auto numbers = each->numbers(); !numbers) return numbers.error();
        const auto came = [&] { return stream::only_in_first(stream(newer), stream(older)); };
        const auto went = [&] { return stream::only_in_first(stream(older), stream(newer)); };
        const bool keeps_times = is_multiset(newer);
        const auto came_code = encoded(came(), newer.universe(), keeps_times, counted(came()));
        const auto went_code = encoded(went(), newer.universe(), keeps_times, counted(went()));
        // The bytes that patching makes are the newer filter's but for marks that an erasure may have left behind.
        const auto made = filter_of_numbers(
            newer, newer.spec(), newer.keys(), [&] { return stream(newer).source(); }, no_byte_limit);
        if (!made) return made.error();
        const auto header = encode_header(made->as_file(), payload_checksum(made->payload()));
        std::vector<std::byte> file(header_at + header.size() + 8 * numbers_of_a_patch);
        std::memcpy(file.data(), patch_magic.data(), patch_magic.size());
        std::memcpy(file.data() + header_at, header.data(), header.size());
        file.insert(file.end(), came_code.begin(), came_code.end());
        file.insert(file.end(), went_code.begin(), went_code.end());
        std::byte* const numbers = file.data() + header_at + header.size();
        store_le(numbers + 8 * older_checksum, payload_checksum(older.payload()));
        store_le(numbers + 8 * came_bytes, static_cast<std::uint64_t>(came_code.size()));
        store_le(numbers + 8 * went_bytes, static_cast<std::uint64_t>(went_code.size()));
        store_le(numbers + 8 * checksum_of_both, checksum64(std::span<const std::byte>(file).subspan(
                                                     header_at + header.size() + 8 * numbers_of_a_patch)));
        return file;
    });
}

result<any_filter> patched(const any_view& older, std::span<const std::byte> patch, std::uint64_t max_bytes) {
    return guarded([&]() -> result<any_filter> {
        const auto parts = opened(patch);
        if (!parts) return parts.error();
        const file_view& newer = parts->header.filter;
        if (newer.kind->id != older.spec().kind)
            return make_error(errc::spec_mismatch, "kind")
                .with_note("the patch is for a filter of another kind");
        if (newer.hash.id != older.hash().id || newer.hash.key != older.hash().key)
            return make_error(errc::spec_mismatch, "hash key")
                .with_note("the patch is for a filter with another hash key");
        const kind_ops& ops = older.kind().ops_for(newer.spec);
        if (ops.grows == nullptr)
            return make_error(errc::spec_mismatch, "form")
                .with_note("the patch is for a filter that does not grow");
        if (const std::size_t form = ops.grows->field; newer.spec[form] != older.spec()[form])
            return make_error(errc::spec_mismatch, "form")
                .with_found(newer.spec[form])
                .with_expected(older.spec()[form]);
        if (ops.grows->universe(newer.spec) != older.universe())
            return make_error(errc::spec_mismatch, "universe")
                .with_found(ops.grows->universe(newer.spec))
                .with_expected(older.universe());
        if (const auto is = payload_checksum(older.payload()); is != parts->older)
            return make_error(errc::spec_mismatch, "checksum of the older filter")
                .with_found(is)
                .with_expected(parts->older)
                .with_note("the patch is for another state of the filter");
        if (const auto numbers = older.numbers(); !numbers) return numbers.error();
        const std::uint64_t size = parts->header.payload_bytes;
        const std::uint64_t most =
            max_bytes != no_byte_limit
                ? max_bytes
                : checked_add(most_made_bytes(patch.size()),
                              checked_multiply(older.size_bytes(), 16).value_or(UINT64_MAX / 2))
                      .value_or(UINT64_MAX);
        if (size > most)
            return make_error(errc::too_large, "filter bytes").with_found(size).with_range(0, most);
        bool is_bad = false;
        const bool keeps_times = ops.grows->is_multiset;
        const auto numbers = [&] {
            const auto decoded_stream = [&](std::span<const std::byte> bytes) {
                return stream(std::make_unique<decoded_source>(bytes, older.universe(), keeps_times, is_bad));
            };
            auto less = stream::only_in_first(stream(older), decoded_stream(parts->went));
            return stream::sum(std::move(less), decoded_stream(parts->came), keeps_times).source();
        };
        auto made = filter_of_numbers(older, newer.spec, newer.keys, numbers, most);
        if (!made) return made;
        made->set_labels(newer.labels);
        if (is_bad) return bad_numbers("numbers of the patch");
        if (const auto computed = payload_checksum(made->payload());
            computed != parts->header.payload_checksum)
            return make_error(errc::bad_payload_checksum, "filter that the patch makes")
                .with_found(computed)
                .with_expected(parts->header.payload_checksum);
        return made;
    });
}

// ---- comparison

namespace {

// Different keys behind n different numbers of U, and the standard deviation of that estimate (linear counting).
double keys_behind(double numbers, double universe) {
    return -universe * std::log1p(-std::min(numbers, universe - 0.5) / universe) + 0.0;
}
double variance_of_keys(double keys, double universe) {
    const double load = keys / universe;
    return load > 50 ? INFINITY : universe * (std::expm1(load) - load);
}
constexpr double deviations = 2.576;  // of a normal law, outside of which is 1 of 100

estimate_with_bounds bounded(double value, double variance, double most) {
    const double half = deviations * std::sqrt(variance) + (variance > 0 ? 0.5 : 0);
    return {value, std::max(0.0, value - half), std::min(most, value + half)};
}

}  // namespace

result<comparison> compare(const any_view& a, const any_view& b) {
    return guarded([&]() -> result<comparison> {
        if (auto alike = check_same_numbers(a, b); !alike) return alike.error();
        for (const any_view* each : {&a, &b})
            if (const auto numbers = each->numbers(); !numbers) return numbers.error();
        comparison found;
        found.universe = std::min(a.universe(), b.universe());
        std::uint64_t of_a = 0, of_b = 0;
        stream left = stream(a).coarser(found.universe), right = stream(b).coarser(found.universe);
        auto x = left.next(), y = right.next();
        while (x || y) {
            const bool has_x = x && (!y || x->number <= y->number),
                       has_y = y && (!x || y->number <= x->number);
            of_a += has_x ? 1 : 0;
            of_b += has_y ? 1 : 0;
            found.shared_numbers += has_x && has_y ? 1 : 0;
            if (has_x) x = left.next();
            if (has_y) y = right.next();
        }
        const auto universe = static_cast<double>(found.universe);
        const double na = static_cast<double>(of_a), nb = static_cast<double>(of_b);
        const double in_either = na + nb - static_cast<double>(found.shared_numbers);
        const double ka = keys_behind(na, universe), kb = keys_behind(nb, universe),
                     either = keys_behind(in_either, universe);
        const double shared = std::clamp(ka + kb - either, 0.0, std::min(ka, kb));
        found.keys_of_a = bounded(ka, variance_of_keys(ka, universe), INFINITY);
        found.keys_of_b = bounded(kb, variance_of_keys(kb, universe), INFINITY);
        // Numbers that two different keys share by chance, and keys of one filter that share a number.
        const double by_chance =
            (ka - shared) * (kb - shared) / universe + variance_of_keys(shared, universe);
        found.shared = bounded(shared, by_chance, std::min(found.keys_of_a.high, found.keys_of_b.high));
        const auto jaccard = [&](double both) {
            const double all = ka + kb - both;
            return all > 0 ? std::min(1.0, both / all) : 1.0;
        };
        found.jaccard = {jaccard(shared), jaccard(found.shared.low), jaccard(found.shared.high)};
        return found;
    });
}

}  // namespace membrane
