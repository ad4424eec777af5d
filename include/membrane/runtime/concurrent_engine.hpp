// A filter that many threads use at once, without its kind: what concurrent_filter calls. src/runtime/make_concurrent.hpp makes it from the
// kind's own class, which says what each call does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <membrane/base/insertion.hpp>
#include <membrane/base/result.hpp>
#include <membrane/hash/key_hash.hpp>
#include <membrane/part/filter_copy.hpp>
#include <membrane/spec/filter_spec.hpp>

namespace membrane {

class concurrent_engine {
public:
    virtual ~concurrent_engine() = default;

    virtual bool may_contain(key_hash) const noexcept = 0;
    virtual std::size_t may_contain_many(std::span<const key_hash>,
                                         std::span<std::uint64_t>) const noexcept = 0;
    virtual insertion insert(key_hash) noexcept = 0;
    virtual insertion insert_if_absent(key_hash) noexcept = 0;
    // How many were stored before the first that was refused.
    virtual std::size_t insert_many(std::span<const key_hash>) noexcept = 0;
    virtual bool can_erase() const noexcept = 0;
    // Of filters that can erase.
    virtual bool erase(key_hash) noexcept = 0;
    virtual std::size_t erase_many(std::span<const key_hash>) noexcept = 0;
    virtual std::uint64_t estimate(key_hash) const noexcept = 0;

    virtual const filter_spec& spec() const noexcept = 0;
    virtual std::uint64_t keys() const noexcept = 0;
    virtual std::uint64_t held_bytes() const noexcept = 0;
    virtual result<filter_copy> copy() = 0;
    virtual result<double> estimated_size() = 0;
    virtual result<double> estimated_fpr_now() = 0;
    // not_supported of kinds that do not grow.
    virtual result<void> reserve(std::uint64_t keys) = 0;
};

}  // namespace membrane
