// may_contain_many with the fastest kernel that this machine has; the portable one of filter/batch.hpp for every view
// without a kernel.
#pragma once

#include <membrane/filter/batch.hpp>

#include "kernel/flat_lanes.hpp"
#include "kernel/level.hpp"

namespace membrane::kernel {

template <class View>
std::size_t may_contain_many(const View& view, std::span<const key_hash> hashes,
                             std::span<std::uint64_t> answers) noexcept {
#if defined(MEMBRANE_HAVE_FLAT_LANES)
    if constexpr (has_flat_lanes<View>)
        if (active_level() == level::avx2 && fits_lanes(view.shape()))
            return ask_in_lanes(view, hashes, answers);
#endif
    return membrane::may_contain_many(view, hashes, answers);
}

}  // namespace membrane::kernel
