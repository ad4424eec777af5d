// Settings of both figures of the less-hashing paper: array, k, model and our own filter for each scheme.
#pragma once

#include <string>

#include "probe_simulation.hpp"

namespace membrane::lab {

// c bits per key; k is the better of floor and ceiling of c ln 2.
probe_setting probe_setting_of(probe_scheme scheme, std::uint64_t keys, std::uint64_t bits_per_key);

struct scheme_model {
    double rate;
    double margin;  // of the first-order forms
    double stddev_between;
};
scheme_model model_of(const probe_setting& at);

// The text that describes the filter for lab/measure.hpp.
std::string filter_text(const probe_setting& at);

}  // namespace membrane::lab
