// ./dev bench --growth: what insertion costs with all growth included, beside a filter that was planned for all keys.
#pragma once

#include <membrane/hash/hasher.hpp>

#include "options.hpp"

namespace bench {

// The exit code.
int measure_growth(const options& chosen, const membrane::hasher& hash);

}  // namespace bench
