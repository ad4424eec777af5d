// A filter that owns its memory and grows by itself, without its kind: what any_filter calls. src/runtime/make_grower.hpp makes it
// from the kind's own class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/base/function_ref.hpp>
#include <membrane/base/insertion.hpp>
#include <membrane/base/result.hpp>
#include <membrane/hash/key_hash.hpp>
#include <membrane/part/counted_number.hpp>
#include <membrane/part/growth_policy.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

// Numbers in ascending order, each once, with how often it is there.
class number_source {
public:
    virtual ~number_source() = default;
    virtual std::optional<counted_number> next() = 0;
};
// Every call begins at the first number.
using number_source_maker = function_ref<std::unique_ptr<number_source>()>;

class grower {
public:
    virtual ~grower() = default;

    virtual insertion insert(key_hash) noexcept = 0;
    // How many were stored before the first that was refused.
    virtual std::size_t insert_many(std::span<const key_hash>) noexcept = 0;
    virtual bool erase(key_hash) noexcept = 0;
    virtual std::size_t erase_many(std::span<const key_hash>) noexcept = 0;

    // Right at every step of a growth.
    virtual bool may_contain(key_hash) const noexcept = 0;
    virtual std::size_t may_contain_many(std::span<const key_hash>,
                                         std::span<std::uint64_t>) const noexcept = 0;
    virtual std::uint64_t estimate(key_hash) const noexcept = 0;
    virtual std::unique_ptr<number_source> numbers() const = 0;

    virtual result<void> reserve(std::uint64_t keys) = 0;
    virtual result<void> shrink_to_fit() = 0;
    virtual result<std::uint64_t> lower_rate(double fpr) = 0;
    virtual result<void> replace(const filter_spec& layout, number_source_maker numbers) = 0;
    // Moves up to so many lines of a growth that is under way; true if none is left.
    virtual bool advance(std::uint64_t lines) noexcept = 0;
    // Ends a growth and makes the bytes those that the numbers have in this layout, whatever the history. False if memory is refused.
    virtual bool settle() noexcept = 0;
    virtual void clear() noexcept = 0;
    // Why it did not grow for another key: max_bytes or memory.
    virtual error refusal() const noexcept = 0;
    virtual std::uint64_t lines_moved() const noexcept = 0;

    virtual growth_policy& policy() noexcept = 0;
    virtual const filter_spec& spec() const noexcept = 0;
    virtual bool is_growing() const noexcept = 0;
    virtual std::span<std::byte> payload() noexcept = 0;  // not whole while the filter grows
    // Changes whenever spec, payload or is_growing do.
    virtual std::uint64_t layouts() const noexcept = 0;
};

// The operations of a filter while it grows: those of its form, but for what reads the bytes, which are not whole then. The view is a
// `const grower*`.
struct kind_ops;
kind_ops operations_while_growing(const kind_ops& settled);

}  // namespace membrane
