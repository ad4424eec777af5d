// Header-only filters with a static type: what a C++ program without the run-time handle uses. A separate library, compiled for
// AVX2 as a user's program would be; the rest of the benchmark is compiled for any machine, and no function is shared between them.
#pragma once

#include <memory>
#include <string>

#include <membrane/spec/filter_spec.hpp>

#include "timing/subject.hpp"

namespace bench {

struct inlined_row {
    std::string name;
    membrane::filter_spec spec;
    membrane::hasher hash;
    double predicted_fpr;
    double fpr_stddev_between;
};

[[gnu::visibility("default")]] std::unique_ptr<membrane::timing::subject> inlined_blocked_bloom(
    const inlined_row& row);
[[gnu::visibility("default")]] std::unique_ptr<membrane::timing::subject> inlined_balanced_rank(
    const inlined_row& row);
[[gnu::visibility("default")]] std::unique_ptr<membrane::timing::subject> inlined_bloom_of_keys(
    const inlined_row& row);  // hashing included

}  // namespace bench
