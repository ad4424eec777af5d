#include <membrane/model/rank_storage.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "model/tail_sums.hpp"

namespace membrane::model {

namespace {

std::uint64_t ceil_log2(std::uint64_t value) {
    return value < 2 ? 0 : static_cast<std::uint64_t>(std::bit_width(value - 1));
}

struct bounded_field {
    std::string_view name;
    std::uint64_t value, least, most;
};

result<void> check(const rank_shape& shape, std::uint64_t n) {
    for (const auto& [name, value, least, most] :
         {bounded_field{"buckets", shape.buckets, 1, max_rank_keys},
          bounded_field{"chains", shape.chains, 1, max_rank_chains},
          bounded_field{"fingerprint_bits", shape.fingerprint_bits, 1, max_rank_fingerprint_bits},
          bounded_field{"cells", shape.cells, 1, max_rank_cells},
          bounded_field{"extension_cells", shape.extension_cells, 0, max_rank_cells},
          bounded_field{"last_cells", shape.last_cells, 0, max_rank_cells},
          bounded_field{"extensions", shape.extensions, 0, shape.buckets},
          bounded_field{"last_extensions", shape.last_extensions, 0, shape.buckets},
          bounded_field{"value_bits", shape.value_bits, 0, max_rank_value_bits},
          bounded_field{"n", n, 1, max_rank_keys}}) {
        if (value < least || value > most)
            return make_error(errc::bad_field, name).with_found(value).with_range(least, most);
    }
    return {};
}

double places(const rank_shape& shape) {
    return static_cast<double>(shape.buckets) * static_cast<double>(shape.chains) *
           std::exp2(static_cast<double>(shape.fingerprint_bits));
}

}  // namespace

result<rank_storage> rank_storage_of(const rank_shape& shape) {
    if (const auto checked = check(shape, 1); !checked) return checked.error();
    const std::uint64_t cell_bits = 1 + shape.fingerprint_bits + shape.value_bits;
    rank_storage storage;
    storage.bucket_bits = shape.chains + shape.cells * cell_bits + 1 + ceil_log2(shape.extensions);
    storage.extension_bits = 1 + shape.extension_cells * cell_bits + 1 + ceil_log2(shape.last_extensions);
    storage.last_extension_bits = 1 + shape.last_cells * cell_bits;
    const auto product = [](std::uint64_t count, std::uint64_t bits) {
        return static_cast<double>(count) * static_cast<double>(bits);
    };
    if (product(shape.buckets, storage.bucket_bits) + product(shape.extensions, storage.extension_bits) +
            product(shape.last_extensions, storage.last_extension_bits) >
        0x1p63)
        return make_error(errc::size_overflow, "size_bits");
    storage.size_bits = shape.buckets * storage.bucket_bits + shape.extensions * storage.extension_bits +
                        shape.last_extensions * storage.last_extension_bits;
    return storage;
}

result<double> rank_bits_per_key(const rank_shape& shape, std::uint64_t n) {
    if (const auto checked = check(shape, n); !checked) return checked.error();
    const auto storage = rank_storage_of(shape);
    if (!storage) return storage.error();
    return static_cast<double>(storage->size_bits) / static_cast<double>(n);
}

result<double> rank_keys_per_chain(const rank_shape& shape, std::uint64_t n) {
    if (const auto checked = check(shape, n); !checked) return checked.error();
    return static_cast<double>(n) / (static_cast<double>(shape.buckets) * static_cast<double>(shape.chains));
}

result<double> rank_trimmed_bits_per_key(const rank_shape& shape, std::uint64_t n) {
    const auto keys_per_chain = rank_keys_per_chain(shape, n);
    if (!keys_per_chain) return keys_per_chain.error();
    return 1 / *keys_per_chain + static_cast<double>(shape.fingerprint_bits + shape.value_bits + 1);
}

result<double> rank_fpr_asymptotic(const rank_shape& shape, std::uint64_t n) {
    if (const auto checked = check(shape, n); !checked) return checked.error();
    return std::min(1.0, static_cast<double>(n) / places(shape));
}

result<double> rank_fpr_exact(const rank_shape& shape, std::uint64_t n) {
    if (const auto checked = check(shape, n); !checked) return checked.error();
    return -std::expm1(static_cast<double>(n) * std::log1p(-1 / places(shape)));
}

result<double> rank_fpr_stddev_between(const rank_shape& shape, std::uint64_t n) {
    if (const auto checked = check(shape, n); !checked) return checked.error();
    // Var(occupied places) = places e^-a (1 - (1 + a) e^-a), a = n / places; the bracket is the probability of two or more.
    const double a = static_cast<double>(n) / places(shape);
    return std::sqrt(std::exp(-a) * poisson_above(a, 1) / places(shape));
}

}  // namespace membrane::model
