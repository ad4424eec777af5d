#include <membrane/model/d_left.hpp>

#include <cmath>
#include <numbers>

namespace membrane::model {

namespace {

constexpr double fingerprints_met = 24;
constexpr double cells_per_key = 8.0 / 6;
constexpr double counter_bits = 2;
constexpr double load_bits_per_key = 3.0 / 6;
constexpr double counters_of_four_bits = 4;
constexpr double cuckoo_fingerprints_met = 8;
constexpr double cuckoo_cells_per_key = 1 / 0.95;
constexpr double most_bits_per_key = 1e12;

error bad_rate() {
    return make_error(errc::bad_field, "fpr").with_note("a false-positive rate is 1e-18 to below 1");
}

template <class Formula>
result<double> at_rate(double fpr, Formula formula) {
    if (!(fpr >= 1e-18 && fpr < 1)) return bad_rate();
    return formula(fpr);
}

double standard_bits(double fpr) { return -std::log2(fpr) / std::numbers::ln2; }

// As a function of the density of ones z: k = log_z(fpr) probes, k / -ln(1-z) bits per key, coded with entropy(z) per bit. Density
// one half is the standard filter; sparser arrays have more bits and a shorter code.
struct by_density {
    double k, bits_per_key, coded;
};

by_density at_density(double log2_density, double fpr) {
    const double z = std::exp2(log2_density);
    const double k = std::log2(fpr) / log2_density;
    const double zeros = -std::log1p(-z);
    const double bits = k / zeros;
    const double entropy = -z * log2_density + (1 - z) * zeros / std::numbers::ln2;
    return {k, bits, bits * entropy};
}

// The density at which `value` reaches `wanted`; `value` must increase with the logarithm of the density.
template <class Value>
double density_where(double wanted, Value value) {
    double low = -60;
    double high = -1;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (value(middle) < wanted ? low : high) = middle;
    }
    return (low + high) / 2;
}

}  // namespace

result<double> standard_bloom_bits_per_key(double fpr) { return at_rate(fpr, standard_bits); }
result<double> standard_counting_bloom_bits_per_key(double fpr) {
    return at_rate(fpr, [](double rate) { return counters_of_four_bits * standard_bits(rate); });
}
result<double> d_left_bits_per_key(double fpr) {
    return at_rate(fpr, [](double rate) { return cells_per_key * std::log2(fingerprints_met / rate); });
}
result<double> d_left_counting_bits_per_key(double fpr) {
    return at_rate(
        fpr, [](double rate) { return cells_per_key * (std::log2(fingerprints_met / rate) + counter_bits); });
}
result<double> d_left_trimmed_bits_per_key(double fpr) {
    return at_rate(fpr, [](double rate) { return std::log2(fingerprints_met / rate) + load_bits_per_key; });
}
result<double> cuckoo_bits_per_key(double fpr) {
    return at_rate(
        fpr, [](double rate) { return cuckoo_cells_per_key * std::log2(cuckoo_fingerprints_met / rate); });
}

result<compressed_bloom> compressed_bloom_at(double bits_per_key, double fpr) {
    if (!(fpr >= 1e-18 && fpr < 1)) return bad_rate();
    if (!(bits_per_key >= standard_bits(fpr) && bits_per_key <= most_bits_per_key))
        return make_error(errc::bad_field, "bits_per_key")
            .with_note("the standard size for the rate, to 1e12");
    const double log2_density = density_where(
        -bits_per_key, [&](double candidate) { return -at_density(candidate, fpr).bits_per_key; });
    const by_density found = at_density(log2_density, fpr);
    return compressed_bloom{found.k, found.coded};
}

result<double> compressed_bloom_uncompressed_bits_per_key(double coded_bits_per_key, double fpr) {
    if (!(fpr >= 1e-18 && fpr < 1)) return bad_rate();
    const auto out_of_reach = make_error(errc::bad_field, "coded_bits_per_key")
                                  .with_note("a code is above log2(1/fpr) and at most the standard size");
    if (!(coded_bits_per_key > -std::log2(fpr) && coded_bits_per_key <= standard_bits(fpr)))
        return out_of_reach;
    const double log2_density =
        density_where(coded_bits_per_key, [&](double candidate) { return at_density(candidate, fpr).coded; });
    const double bits = at_density(log2_density, fpr).bits_per_key;
    if (!(bits <= most_bits_per_key)) return out_of_reach;
    return bits;
}

}  // namespace membrane::model
