// What the operations of a balanced_rank filter compute with, and how they reach its bytes.
//
// rank_shape   the numbers that follow from the spec alone: layouts, addresses, the geometry of the list
// plain_bytes  lines and list where they stand: for a filter that one thread changes at a time. The filter for many threads has others
//              (concurrent/locked_lines.hpp), and the same operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <membrane/base/cache_sizes.hpp>
#include <membrane/kind/balanced_rank/address.hpp>
#include <membrane/kind/balanced_rank/line.hpp>
#include <membrane/part/counted_list.hpp>

MEMBRANE_TARGET_BEGIN

// Digits: where a key is in the first table; Second: where an entry of the first table is in the second (address.hpp).
template <class Digits, class Second>
struct rank_shape {
    // Entries are numbers: they can be read back from both tables and the list.
    static constexpr bool has_numbers = std::is_same_v<Digits, number_digits>;

    // What the planner gives the second table beside a first table of this class.
    static constexpr layout_class second_class(layout_class first) noexcept {
        if (first == layout_class::any) return layout_class::any;
        return has_numbers ? layout_class::wide : first;
    }

    // `tables`: how many filters of this shape are looked up together, as parts of one.
    rank_shape(const filter_spec& spec, std::byte* list_bytes, std::uint64_t tables = 1) noexcept
        : lines(spec[balanced_rank_field::lines]),
          second_lines(membrane::second_lines(spec)),
          first_layout(membrane::first_layout(spec)),
          second_layout(membrane::second_layout(spec)),
          digits(spec),
          second_address(spec),
          list(list_bytes, spec[balanced_rank_field::list_slots], list_homes(spec), second_lines,
               list_group_bits(spec)),
          is_near(lines <= near_cache_bytes / rank_line_bytes / tables),
          common_class(class_of(second_layout) == second_class(class_of(first_layout))
                           ? class_of(first_layout)
                           : layout_class::any),
          far_class(is_near ? layout_class::any : common_class),
          near_class(is_near ? common_class : layout_class::any) {}

    // work(class_constant<Class>) for the class of the layouts, as a constant.
    template <layout_class Class>
    struct class_constant {};
    template <class Work>
    auto with_class(const Work& work) const noexcept {
#if defined(MEMBRANE_TARGET_AVX2) || defined(MEMBRANE_TARGET_NEON)
        if (common_class == layout_class::tight_8) return work(class_constant<layout_class::tight_8>{});
        if (common_class == layout_class::bits_7) return work(class_constant<layout_class::bits_7>{});
        if (common_class == layout_class::wide) return work(class_constant<layout_class::wide>{});
#endif
        return work(class_constant<layout_class::any>{});
    }

    std::uint64_t lines;
    std::uint64_t second_lines;
    line_layout first_layout;
    line_layout second_layout;
    Digits digits;
    Second second_address;
    counted_list list;
    bool is_near;
    layout_class common_class;
    // One of them is `any`: near and far tables are looked up by different code.
    layout_class far_class, near_class;
};

template <class Digits, class Second>
class plain_bytes {
public:
    using shape_type = rank_shape<Digits, Second>;

    plain_bytes(const shape_type& shape, std::byte* first, std::byte* second) noexcept
        : shape_(shape), first_(first), second_(second) {}

protected:
    static constexpr bool has_lines_in_place = true;

    template <layout_class Class>
    line<Class> first_line_at(std::byte* at) const noexcept {
        return {shape_.first_layout, at};
    }
    template <layout_class Class>
    line<Class> second_line_at(std::byte* at) const noexcept {
        return {shape_.second_layout, at};
    }
    const counted_list& list() const noexcept { return shape_.list; }
    counted_list& changed_list() noexcept { return shape_.list; }

    shape_type shape_;
    std::byte* first_;
    std::byte* second_;
};

MEMBRANE_TARGET_END
