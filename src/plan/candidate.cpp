#include <membrane/plan/candidate.hpp>

#include <algorithm>
#include <cmath>

#include "plan/sizing.hpp"

namespace membrane::plan {

namespace {

class sizer {
public:
    sizer(const kind_row& kind, const requirement& wanted, const given_fields& given)
        : kind_(kind), wanted_(wanted), given_(given) {}

    result<sized_filter> sized() const {
        if (wanted_.keys == 0) {
            if (!wanted_.max_bytes)
                return make_error(errc::bad_field, "keys")
                    .with_note("say how many keys, or how many bytes they may take");
            return most_keys();
        }
        return wanted_.max_bytes && !wanted_.fpr && !wanted_.bits_per_key ? largest(wanted_.keys)
                                                                          : plain(wanted_);
    }

private:
    result<sized_filter> plain(const requirement& wanted) const {
        auto spec = kind_.plan.size(wanted, given_);
        if (!spec) return spec.error();
        const auto size = kind_.rules.payload_bytes(*spec);
        if (!size) return make_error(errc::size_overflow, "payload of this spec");
        sized_filter made;
        made.spec = *spec;
        made.keys = wanted.keys;
        made.fpr = kind_.plan.predicted_fpr(*spec, wanted.keys);
        made.size_bytes = *size;
        made.file_bytes = *size + kind_.header_bytes;
        made.bits_per_key = 8 * static_cast<double>(made.file_bytes) / static_cast<double>(wanted.keys);
        made.can = kind_.able(*spec);
        if (kind_.plan.predicted_costs != nullptr) {
            made.has_reads = true;
            made.reads = kind_.plan.predicted_costs(*spec, wanted.keys);
        }
        if (wanted.grow_to != 0 && made.can.grow && kind_.grown != nullptr)
            made.grown = grown(*spec, std::max(wanted.grow_to, wanted.keys));
        return made;
    }

    std::optional<grown_filter> grown(const filter_spec& first, std::uint64_t keys) const {
        const filter_spec last = kind_.grown(first, keys);
        if (!kind_.rules.check_spec(last)) return std::nullopt;
        const auto size = kind_.rules.payload_bytes(last);
        if (!size) return std::nullopt;
        const std::uint64_t file_bytes = *size + kind_.header_bytes;
        return grown_filter{keys, kind_.plan.predicted_fpr(last, keys),
                            8 * static_cast<double>(file_bytes) / static_cast<double>(keys), file_bytes};
    }

    error too_small(std::uint64_t least_bytes) const {
        return make_error(errc::too_large, "file bytes")
            .with_found(least_bytes)
            .with_range(0, *wanted_.max_bytes)
            .with_note("allow more bytes");
    }

    bool fits(const sized_filter& made) const { return made.file_bytes <= *wanted_.max_bytes; }

    // Kinds round their sizes up, so the bits per key are reduced until the file fits.
    result<sized_filter> largest(std::uint64_t keys) const {
        const std::uint64_t header = kind_.header_bytes;
        if (*wanted_.max_bytes <= header) return too_small(header + 1);
        const double budget_bits = 8 * static_cast<double>(*wanted_.max_bytes - header);
        requirement tried = wanted_;
        tried.keys = keys;
        double bits = budget_bits;
        std::uint64_t least_bytes = UINT64_MAX;  // least payload so far that was too large
        for (int attempt = 0; attempt < 32 && bits > 0; ++attempt) {
            tried.bits_per_key = std::min(1e6, bits / static_cast<double>(keys));
            const auto made = plain(tried);
            const bool is_refused = !made && made.error().code == errc::too_large && made.error().found;
            if (!is_refused && (!made || fits(*made))) return made;
            const std::uint64_t size_bytes = is_refused ? *made.error().found : made->size_bytes;
            // Refused again and not smaller: this is the smallest possible size.
            if (is_refused && size_bytes >= least_bytes) break;
            least_bytes = std::min(least_bytes, size_bytes);
            const double excess_bits = 8 * static_cast<double>(size_bytes) - budget_bits;
            bits -= std::max({excess_bits, 64.0, bits / 1000});
        }
        return too_small(header + least_bytes);
    }

    // Bytes are nearly proportional to the keys: interpolation leads close to the limit, points slightly below and above it
    // bracket it, and bisection does the rest where sizes come in steps.
    result<sized_filter> most_keys() const {
        constexpr double close_enough = 1e-4;
        requirement tried = wanted_;
        tried.keys = 1;
        auto best = plain(tried);
        if (!best) return best;
        if (!fits(*best)) return too_small(best->file_bytes);
        const double room = static_cast<double>(*wanted_.max_bytes - kind_.header_bytes);
        // `low` fits; `high` does not, or is more than the filter is to grow to.
        double low = 1,
               high = static_cast<double>(wanted_.grow_to != 0 ? wanted_.grow_to + 1 : max_size_bits);
        double guess = room;
        for (int attempt = 0; attempt < 100 && high - low > std::max(1.0, low * close_enough); ++attempt) {
            const bool is_halving = attempt > 8;
            const double keys =
                std::floor(std::clamp(is_halving ? low + (high - low) / 2 : guess, low + 1, high - 1));
            tried.keys = static_cast<std::uint64_t>(keys);
            auto made = plain(tried);
            if (!made && made.error().code != errc::size_overflow) return made;
            const bool is_good = made && fits(*made);
            (is_good ? low : high) = keys;
            const double size = made ? static_cast<double>(std::max<std::uint64_t>(1, made->size_bytes)) : 0;
            guess = made ? keys * room / size * (is_good ? 1 + close_enough / 2 : 1 - close_enough / 2)
                         : keys / 2;
            if (is_good) best = made;
        }
        return best;
    }

    const kind_row& kind_;
    const requirement& wanted_;
    const given_fields& given_;
};

bool reads_too_much(const sized_filter& made, const requirement& wanted) {
    return made.has_reads && ((wanted.average_reads && made.reads.negative.average > *wanted.average_reads) ||
                              (wanted.worst_reads && made.reads.negative.worst > *wanted.worst_reads));
}

std::size_t field_named(std::span<const field_rule> rules, std::string_view name) {
    std::size_t at = 0;
    while (at < rules.size() && rules[at].name != name) ++at;
    return at;
}

}  // namespace

result<sized_filter> size_kind(const kind_row& kind, const requirement& wanted, const given_fields& given) {
    if (auto checked = check_requirement(wanted); !checked) return checked.error();
    auto made = sizer(kind, wanted, given).sized();
    const std::size_t k = field_named(kind.rules.fields, "k");
    if (!made || k == kind.rules.fields.size() || given.is_given[k]) return made;
    given_fields fewer = given;
    fewer.spec.kind = kind.rules.id;
    fewer.is_given.set(k);
    for (std::uint64_t probes = made->spec[k]; reads_too_much(*made, wanted) && --probes != 0;) {
        fewer.spec[k] = probes;
        auto tried = sizer(kind, wanted, fewer).sized();
        if (!tried) break;
        made = tried;
    }
    return made;
}

}  // namespace membrane::plan
