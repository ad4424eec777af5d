// The lines that are planned for the usual rates, by the bits of a fingerprint of the first table: 7 for 1 %, 8 for 0.4 %, 10 for 0.1 %
// and 13 for 0.01 %. Code that is compiled for them has numbers where other code reads the shape: an erasure takes a fifth fewer
// instructions. Filters with other lines have slower code and the same answers; that plans have these is tested (test/rank/turnover.cpp).
#pragma once

#include <membrane/base/instructions.hpp>
#include <membrane/bucket/rank_code.hpp>
#include <membrane/bucket/rank_line_shape.hpp>

namespace membrane {

template <unsigned Bits>
concept bits_of_a_usual_rate = Bits == 7 || Bits == 8 || Bits == 10 || Bits == 13;

template <unsigned Bits>
requires bits_of_a_usual_rate<Bits>
inline constexpr rank_line_shape planned_line{1, 1, Bits};
template <>
inline constexpr rank_line_shape planned_line<7>{47, 58, 7};
template <>
inline constexpr rank_line_shape planned_line<8>{52, 51, 8};
template <>
inline constexpr rank_line_shape planned_line<10>{49, 42, 10};
template <>
inline constexpr rank_line_shape planned_line<13>{49, 33, 13};

// Of the second table where addresses are carried.
template <unsigned Bits>
requires bits_of_a_usual_rate<Bits>
inline constexpr rank_line_shape planned_carried_line{1, 1, Bits};
template <>
inline constexpr rank_line_shape planned_carried_line<7>{60, 41, 10};
template <>
inline constexpr rank_line_shape planned_carried_line<8>{63, 37, 11};
template <>
inline constexpr rank_line_shape planned_carried_line<10>{49, 33, 13};
template <>
inline constexpr rank_line_shape planned_carried_line<13>{25, 27, 17};

#if defined(MEMBRANE_HAVE_KERNELS)
template <unsigned Bits, bool IsCarried>
inline constexpr const rank_line_shape* planned_second_line =
    IsCarried ? &planned_carried_line<Bits> : &planned_line<Bits>;

template <unsigned Bits, bool IsCarried>
using planned_rank_code =
    rank_code<Bits, planned_second_line<Bits, IsCarried>->fingerprint_bits(), planned_line<Bits>.is_tight(),
              &planned_line<Bits>, planned_second_line<Bits, IsCarried>>;
#endif

}  // namespace membrane
