// The parameters, bytes and number of keys of a filter at one moment.
#pragma once

#include <cstdint>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

struct filter_copy {
    filter_spec spec;
    aligned_buffer payload;
    std::uint64_t keys = 0;
};

}  // namespace membrane
