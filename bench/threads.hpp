// ./dev bench --threads: filters for many threads beside a plain filter behind a mutex, a shared mutex, or none at all.
#pragma once

#include "options.hpp"

namespace bench {

// The exit code.
int measure_threads(const options& chosen);

}  // namespace bench
