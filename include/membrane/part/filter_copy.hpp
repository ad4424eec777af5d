// The parameters and bytes of a filter at one moment.
#pragma once

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

struct filter_copy {
    filter_spec spec;
    aligned_buffer payload;
};

}  // namespace membrane
