#include <membrane/model/count_min.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <membrane/base/prime.hpp>

namespace membrane::model {

namespace {

constexpr std::uint64_t max_width = std::uint64_t{1} << 48;

// ln(1 / (1 - 1 / (2 e^2))): the additional depth for keys that agree in both hashes (Theorem 9.1, corrected).
const double coincidence_depth = -std::log1p(-std::exp(-2.0) / 2);

bool is_chance(double value) { return value > 0 && value < 1; }

std::optional<error> outside_domain(double eps, double delta) {
    if (!is_chance(eps)) {
        return make_error(errc::bad_field, "eps")
            .with_note("the error as a fraction of the sum is above 0 and below 1");
    }
    if (!is_chance(delta)) {
        return make_error(errc::bad_field, "delta").with_note("the chance of failure is above 0 and below 1");
    }
    return std::nullopt;
}

error too_wide() { return make_error(errc::size_overflow, "width").with_range(1, max_width); }

// ceil, at least 1; a quotient that is whole but for rounding, such as ln(1e4) / ln(1e2), is not rounded up.
std::uint64_t ceil_at_least_one(double value) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(value * (1 - 1e-14))));
}

double power_of_bound(double bound, std::uint64_t exponent) {
    return std::pow(std::min(bound, 1.0), static_cast<double>(exponent));
}

}  // namespace

result<count_min_size> count_min_classic_size(double eps, double delta) {
    if (const auto problem = outside_domain(eps, delta)) return *problem;
    const double width = std::numbers::e / eps;
    if (!(width <= static_cast<double>(max_width))) return too_wide();
    return count_min_size{ceil_at_least_one(width), ceil_at_least_one(-std::log(delta)), 1};
}

result<count_min_size> count_min_two_hash_size(double eps, double delta) {
    if (const auto problem = outside_domain(eps, delta)) return *problem;
    const double width = 2 * std::numbers::e / eps;
    if (!(width <= static_cast<double>(max_width))) return too_wide();
    count_min_size size{};
    size.width = next_prime(ceil_at_least_one(width)).value_or(0);
    size.depth = ceil_at_least_one(-std::log(eps) + coincidence_depth);
    size.copies = ceil_at_least_one(std::log(delta) / std::log(eps));
    return size;
}

double count_min_classic_failure_bound(double eps, const count_min_size& size) {
    if (!is_chance(eps) || size.width == 0) return 1;
    return power_of_bound(1 / (eps * static_cast<double>(size.width)), size.depth * size.copies);
}

double count_min_two_hash_failure_bound(double eps, const count_min_size& size) {
    if (!is_chance(eps) || size.width == 0) return 1;
    const auto width = static_cast<double>(size.width);
    const double coincidence = 2 / (eps * width * width);
    return power_of_bound(coincidence + power_of_bound(2 / (eps * width), size.depth), size.copies);
}

}  // namespace membrane::model
