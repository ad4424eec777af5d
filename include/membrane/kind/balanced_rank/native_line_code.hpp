// The code for rank-indexed lines that a program is compiled for: with AVX2, BMI2 and popcnt where the compiler was given them. The
// library itself is compiled for any machine and chooses when it runs (src/kernel).
#pragma once

#include <membrane/kind/balanced_rank/line_code.hpp>
#include <membrane/kind/balanced_rank/rank_code.hpp>

namespace membrane {

#if defined(MEMBRANE_HAVE_AVX2) && defined(__AVX2__) && defined(__BMI__) && defined(__BMI2__) && \
    defined(__LZCNT__) && defined(__POPCNT__)
#define MEMBRANE_NATIVE_RANK_CODE
using native_line_code = rank_code<0>;

// work(code), where the code knows the lines of the usual rates (rank_line_shape::usual_bits): fewer instructions wait for them.
// For others `otherwise` does it, best behind a call: a caller's loop has registers for the usual ones alone. `Second`: what the lines
// of the second table have then (rank_address.hpp).
template <class Second, class Work, class Otherwise>
[[gnu::always_inline]] inline bool with_native_line_code(unsigned usual_bits, const Work& work,
                                                         const Otherwise& otherwise) {
    if (usual_bits == 8) return work(rank_code<8, Second::bits_for(8), true>{});
    if (usual_bits == 7) return work(rank_code<7, Second::bits_for(7)>{});
    return otherwise();
}
#else
using native_line_code = plain_line_code;

template <class Second, class Work, class Otherwise>
inline bool with_native_line_code(unsigned, const Work&, const Otherwise& otherwise) {
    return otherwise();
}
#endif

}  // namespace membrane
