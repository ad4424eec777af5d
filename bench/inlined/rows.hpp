// Header-only filters whose type is known to the compiler: what a C++ program without the run-time handle has. In a library of
// their own, which is compiled for a machine with AVX2 as a program that measures would be; the rest of the bench is
// compiled for any machine, and no function of the one gets into the other.
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
