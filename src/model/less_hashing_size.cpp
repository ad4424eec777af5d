#include <algorithm>
#include <cmath>

#include <membrane/model/less_hashing.hpp>

namespace membrane::model {

namespace {

double asymptotic_rate(double bits_per_key, std::uint64_t k) {
    const auto probes = static_cast<double>(k);
    return std::pow(-std::expm1(-probes / bits_per_key), probes);
}

double asymptotic_bits_per_key(double fpr, std::uint64_t k) {
    const auto probes = static_cast<double>(k);
    return -probes / std::log1p(-std::exp(std::log(fpr) / probes));
}

bool is_rate(double fpr) { return fpr > 0 && fpr < 1; }

error bad_rate() {
    return make_error(errc::bad_field, "fpr").with_note("a false-positive rate is above 0 and below 1");
}

}  // namespace

std::uint64_t best_k(double bits_per_key) {
    if (!(bits_per_key > 0)) return 1;
    const double wanted = std::min(bits_per_key * std::log(2.0), static_cast<double>(max_probes));
    const auto below = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    const auto above = std::min(below + 1, max_probes);
    return asymptotic_rate(bits_per_key, above) < asymptotic_rate(bits_per_key, below) ? above : below;
}

result<bloom_size> bits_for_fpr(std::uint64_t n, double fpr, std::uint64_t k) {
    if (!is_rate(fpr)) return bad_rate();
    if (k < 1 || k > max_probes)
        return make_error(errc::bad_field, "k").with_found(k).with_range(1, max_probes);
    n = std::max<std::uint64_t>(n, 1);
    const double wanted = std::ceil(static_cast<double>(n) * asymptotic_bits_per_key(fpr, k));
    if (!(wanted <= static_cast<double>(max_size_bits))) {
        return make_error(errc::size_overflow, "size_bits").with_range(1, max_size_bits);
    }
    const auto fits = [&](std::uint64_t m) { return bloom_fpr_exact(n, m, k) <= fpr; };
    auto enough = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    std::uint64_t short_of = 0;
    // The exact rate is above the asymptotic one: step up from there, then bisect.
    for (std::uint64_t step = enough / 1024 + 1; !fits(enough); step *= 2) {
        short_of = enough;
        enough += step;
        if (enough > max_size_bits)
            return make_error(errc::size_overflow, "size_bits").with_range(1, max_size_bits);
    }
    while (enough - short_of > 1) {
        const std::uint64_t middle = short_of + (enough - short_of) / 2;
        (fits(middle) ? enough : short_of) = middle;
    }
    return bloom_size{enough, k};
}

result<bloom_size> bits_for_fpr(std::uint64_t n, double fpr) {
    if (!is_rate(fpr)) return bad_rate();
    std::uint64_t k = 1;
    for (std::uint64_t candidate = 2; candidate <= max_probes; ++candidate) {
        if (asymptotic_bits_per_key(fpr, candidate) < asymptotic_bits_per_key(fpr, k)) k = candidate;
    }
    return bits_for_fpr(n, fpr, k);
}

}  // namespace membrane::model
