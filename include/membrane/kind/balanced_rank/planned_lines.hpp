// The lines that are planned for the usual rates, by the bits of a fingerprint of the first table: 7 for 1 %, 8 for 0.4 %, 10 for 0.1 %
// and 13 for 0.01 %. Code that is compiled for them has numbers where other code reads the shape: an erasure takes a fifth fewer
// instructions. Filters with other lines have slower code and the same answers; that plans have these is tested (test/rank/turnover.cpp).
#pragma once

#include <cstdint>
#include <type_traits>

#include <membrane/base/instructions.hpp>
#include <membrane/kind/balanced_rank/native_line_code.hpp>
#include <membrane/kind/balanced_rank/rank_code.hpp>
#include <membrane/kind/balanced_rank/layout.hpp>

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

// Where a program has the code for lines with planes: of 10 and 13 bits, as planned. 0 for all others.
template <bool IsCarried>
constexpr std::uint8_t planned_plane_bits(const rank_line_shape& first,
                                          const rank_line_shape& second) noexcept {
    const auto are = [&]<unsigned Bits>(std::integral_constant<unsigned, Bits>) {
        return first == planned_line<Bits> &&
               second == (IsCarried ? planned_carried_line<Bits> : planned_line<Bits>);
    };
    if (are(std::integral_constant<unsigned, 10>{})) return 10;
    return are(std::integral_constant<unsigned, 13>{}) ? 13 : 0;
}
// work(code) for these bits, with the code that the program is compiled for.
template <bool IsCarried, class Work>
bool with_plane_code([[maybe_unused]] unsigned bits, const Work& work) {
#if defined(MEMBRANE_NATIVE_RANK_CODE)
    if (bits == 10) return work(planned_rank_code<10, IsCarried>{});
    if (bits == 13) return work(planned_rank_code<13, IsCarried>{});
#endif
    return work(native_line_code{});
}

}  // namespace membrane
