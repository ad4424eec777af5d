// Ascending numbers of filters of any kind, joined: what merging, comparing, packing and patching are made from. Throws std::bad_alloc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <membrane/part/number_streams.hpp>
#include <membrane/runtime/any_view.hpp>
#include <membrane/runtime/grower.hpp>

namespace membrane {

class stream {
public:
    explicit stream(std::unique_ptr<number_source> source) : source_(std::move(source)) {}
    // A filter whose numbers() has been seen to work.
    explicit stream(const any_view& filter)
        : source_(std::move(*filter.numbers())), universe_(filter.universe()) {}

    std::optional<counted_number> next() { return source_->next(); }
    std::unique_ptr<number_source> source() { return std::move(source_); }

    // As numbers of this universe, which is the filter's or that divided by a power of two.
    stream coarser(std::uint64_t universe) {
        if (universe == universe_) return stream(std::move(source_));
        return made(membrane::coarser(caller{std::move(source_)},
                                      static_cast<unsigned>(std::countr_zero(universe_ / universe))));
    }
    static stream sum(stream first, stream second, bool keeps_times) {
        return made(joined_numbers(caller{first.source()}, caller{second.source()}, keeps_times));
    }
    static stream only_in_first(stream first, stream second) {
        return made(membrane::only_in_first(caller{first.source()}, caller{second.source()}));
    }

private:
    struct caller {
        std::unique_ptr<number_source> source;
        std::optional<counted_number> operator()() { return source->next(); }
    };
    template <class Next>
    class calling_source final : public number_source {
    public:
        explicit calling_source(Next next) : next_(std::move(next)) {}
        std::optional<counted_number> next() override { return next_(); }

    private:
        Next next_;
    };
    template <class Next>
    static stream made(Next next) {
        return stream(std::make_unique<calling_source<Next>>(std::move(next)));
    }
    std::unique_ptr<number_source> source_;
    std::uint64_t universe_ = 0;
};

inline number_count counted(stream numbers) {
    return count_of([&] { return numbers.next(); });
}

}  // namespace membrane
