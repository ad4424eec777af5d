#include "probe_settings.hpp"

#include <fmt/format.h>

#include <membrane/base/prime.hpp>
#include <membrane/model/less_hashing.hpp>

namespace membrane::lab {

namespace {

constexpr double first_order_error = 0.01;

double progression(const probe_setting& at, model::growth_order growth) {
    return model::progression_fpr(at.keys, at.size_bits, at.k, growth, model::stride_rule::any);
}

}  // namespace

probe_setting probe_setting_of(probe_scheme scheme, std::uint64_t keys, std::uint64_t bits_per_key) {
    const std::uint64_t size_bits = keys * bits_per_key;
    const std::uint64_t k = model::best_k(static_cast<double>(bits_per_key));
    return {scheme, keys, size_bits, *prev_prime(size_bits / k), k};
}

scheme_model model_of(const probe_setting& at) {
    const double between = model::bloom_fpr_stddev_between(at.keys, at.size_bits, at.k);
    const auto first_order = [&](double rate) {
        return scheme_model{rate, first_order_error * rate, between};
    };
    switch (at.scheme) {
        case probe_scheme::standard: return {model::bloom_fpr_exact(at.keys, at.size_bits, at.k), 0, between};
        case probe_scheme::partition:
            return {
                model::partitioned_two_hash_fpr_exact(at.keys, static_cast<double>(at.sub_array_bits), at.k),
                0, between};
        case probe_scheme::two_hash: return first_order(progression(at, model::growth_order::none));
        case probe_scheme::square: return first_order(progression(at, model::growth_order::quadratic));
        case probe_scheme::cube: return first_order(progression(at, model::growth_order::cubic));
    }
    return {};
}

std::string filter_text(const probe_setting& at) {
    static constexpr std::array<std::string_view, 5> probes{"independent", "partitioned", "double",
                                                            "enhanced", "enhanced"};
    std::string text = fmt::format("bloom:size_bits={},k={},probes={}", at.size_bits, at.k,
                                   probes[static_cast<std::size_t>(at.scheme)]);
    switch (at.scheme) {
        case probe_scheme::standard: return text;
        case probe_scheme::partition: return text + fmt::format(",sub_array_bits={}", at.sub_array_bits);
        case probe_scheme::two_hash: return text + ",strides=any";
        case probe_scheme::square: return text + ",strides=any,growth=square";
        case probe_scheme::cube: return text + ",strides=any,growth=cube";
    }
    return text;
}

}  // namespace membrane::lab
