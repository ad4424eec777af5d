// ./dev bench --integers: what hashing integers adds to a lookup.
#pragma once

#include "options.hpp"

namespace bench {

int measure_integers(const options& chosen);

}  // namespace bench
