// A growable or erasable balanced_rank filter with its memory. It grows when it is full, and becomes any other layout of the same
// numbers without the keys: larger, smaller, of a coarser universe, joined with another filter.
//
// Growth in place. The first table is enlarged where it stands, the old second table and list are set aside, and the lines of the new
// layout are written from the last to the first. Line j of the new table holds numbers of lines up to j of the old one, since it has
// more lines, so that nothing is overwritten before it is read. The *frontier* is the first number of the last line written: numbers
// from there on are in the new layout, the others in the old one. So a lookup compares its number with the frontier, and growth may
// stop after any line and go on with a later insertion.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <membrane/base/aligned_buffer.hpp>
#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/kind/balanced_rank/view.hpp>
#include <membrane/part/growth_policy.hpp>
#include <membrane/part/number_streams.hpp>

MEMBRANE_TARGET_BEGIN

// Reads the numbers of a filter from line `first_line` on, in ascending order, each once with how often it is there.
template <class View>
class number_cursor {
public:
    explicit number_cursor(const View& filter, std::uint64_t first_line = 0)
        : filter_(&filter), reader_(filter.digits()), next_line_(first_line) {}

    std::optional<counted_number> next() {
        while (at_ == numbers_.size()) {
            if (next_line_ == filter_->lines()) return std::nullopt;
            if (next_line_ + lookahead < filter_->lines())
                filter_->prefetch_forwarded_of(next_line_ + lookahead);
            filter_->read_line(reader_, next_line_++, numbers_);
            at_ = 0;
        }
        return numbers_[at_++];
    }

private:
    static constexpr std::uint64_t lookahead = 4;

    const View* filter_;
    number_reader reader_;
    std::uint64_t next_line_;
    std::vector<counted_number> numbers_;
    std::size_t at_ = 0;
};

template <class View>
class rank_growth {
public:
    static constexpr bool is_multiset = View::keeps_equal;

    // The layout must be one that the kind's rules allow.
    static result<rank_growth> create(const filter_spec& spec, const growth_policy& policy = {}) {
        auto buffer = aligned_buffer::zeroed(*View::payload_bytes(spec));
        if (!buffer) return buffer.error();
        return rank_growth(spec, std::move(*buffer), policy);
    }
    // Takes a payload of this spec that has been checked.
    rank_growth(const filter_spec& spec, aligned_buffer payload, const growth_policy& policy = {})
        : spec_(spec), buffer_(std::move(payload)), view_(spec_, buffer_.data()), policy_(policy) {}
    rank_growth(rank_growth&&) noexcept = default;
    rank_growth& operator=(rank_growth&&) noexcept = default;

    // Of the layout that the filter has or is growing to.
    const filter_spec& spec() const noexcept { return spec_; }
    const View& view() const noexcept { return view_; }
    aligned_buffer& buffer() noexcept { return buffer_; }
    const aligned_buffer& buffer() const noexcept { return buffer_; }
    growth_policy& policy() noexcept { return policy_; }
    const growth_policy& policy() const noexcept { return policy_; }
    bool is_growing() const noexcept { return old_ != nullptr; }
    std::uint64_t universe() const noexcept { return spec_[rank_field::universe]; }
    // Memory in use, that of a growth included.
    std::uint64_t held_bytes() const noexcept {
        return buffer_.size_bytes() + (old_ ? old_->second_and_list.size_bytes() : 0);
    }

    // ---- keys

    bool may_contain(const key_hash& hash) const noexcept {
        return old_ && is_old(hash) ? old_->view.may_contain(hash) : view_.may_contain(hash);
    }
    std::size_t may_contain_many(std::span<const key_hash> hashes,
                                 std::span<std::uint64_t> answers) const noexcept {
        if (!old_) return view_.may_contain_many(hashes, answers);
        std::size_t present = 0;
        for (std::size_t first = 0; first < hashes.size(); first += 64) {
            const auto word = hashes.subspan(first, std::min<std::size_t>(64, hashes.size() - first));
            answers[first / 64] = may_contain_word(word);
            present += static_cast<std::size_t>(std::popcount(answers[first / 64]));
        }
        return present;
    }
    std::uint64_t estimate(const key_hash& hash) const noexcept requires is_multiset {
        return old_ && is_old(hash) ? old_->view.estimate(hash) : view_.estimate(hash);
    }

    // Refused only if memory is: nothing has changed then.
    insertion insert(const key_hash& hash) noexcept {
        if (old_ == nullptr && policy_.lines_per_insertion != 0 && view_.is_nearly_full())
            (void)start(layout_for_more(), true);
        insertion done = insert_once(hash);
        while (done == insertion::refused && make_room()) done = insert_once(hash);
        if (old_ && policy_.lines_per_insertion != 0 && done != insertion::refused)
            advance(std::max(policy_.lines_per_insertion, least_lines_per_insertion));
        return done;
    }
    // How many were stored before the first that was refused; `added` counts those that were not there before.
    std::size_t insert_many(std::span<const key_hash> hashes, std::uint64_t& added) noexcept {
        std::size_t stored = 0;
        if (policy_.lines_per_insertion == 0 && old_ == nullptr)
            for (;;) {
                stored += view_.insert_many(hashes.subspan(stored), added);
                if (stored == hashes.size() || !make_room()) return stored;
            }
        for (; stored < hashes.size(); ++stored) {
            const insertion done = insert(hashes[stored]);
            if (done == insertion::refused) break;
            added += done == insertion::inserted ? 1 : 0;
        }
        return stored;
    }
    // All keys of an empty filter. False if memory is refused, and the filter is empty.
    bool build(const hash_batches& hashes, unsigned threads) noexcept {
        finish();
        if (insert_all(view_, hashes, threads)) return true;
        clear();
        std::uint64_t added = 0;
        const bool is_stored = hashes.visit_range(0, hashes.size(), [&](std::span<const key_hash> piece) {
            return insert_many(piece, added) == piece.size();
        });
        if (!is_stored) clear();
        return is_stored;
    }
    bool erase(const key_hash& hash) noexcept requires is_multiset {
        has_erased_ = true;
        return changed_view(hash).erase(hash);
    }
    std::size_t erase_many(std::span<const key_hash> hashes) noexcept requires is_multiset {
        has_erased_ = true;
        if (!old_) return view_.erase_many(hashes);
        std::size_t erased = 0;
        for (const key_hash& hash : hashes) erased += erase(hash) ? 1 : 0;
        return erased;
    }

    // ---- numbers

    // All of them in ascending order, also while the filter grows.
    class cursor {
    public:
        explicit cursor(const rank_growth& filter)
            : frontier_(filter.old_ ? filter.old_->frontier : 0),
              old_(filter.old_ ? filter.old_->view : filter.view_),
              new_(filter.view_, filter.old_ ? filter.old_->lines_left : 0),
              is_old_(filter.old_ != nullptr) {}

        std::optional<counted_number> next() {
            if (is_old_) {
                if (const auto number = old_.next(); number && number->number < frontier_) return number;
                is_old_ = false;
            }
            auto number = new_.next();
            // What a line forwarded before its growth was given up.
            while (number && number->number < frontier_) number = new_.next();
            return number;
        }

    private:
        std::uint64_t frontier_;
        number_cursor<View> old_, new_;
        bool is_old_;
    };
    // next() of the numbers of a filter in its universe or that divided by a power of two.
    static auto coarse_numbers(const rank_growth& filter, std::uint64_t universe) {
        return coarser([numbers = cursor(filter)]() mutable { return numbers.next(); },
                       static_cast<unsigned>(std::countr_zero(filter.universe() / universe)));
    }

    number_count count_numbers() const {
        return count_of([numbers = cursor(*this)]() mutable { return numbers.next(); });
    }

    // A filter of at least this layout that holds the numbers of next(), which come in ascending order. If they need more room than the
    // layout has, it is enlarged. Throws std::bad_alloc as `next` does.
    template <class Next>
    static result<rank_growth> from_numbers(filter_spec layout, const growth_policy& policy,
                                            const Next& next_of_start) {
        for (;;) {
            if (auto checked = check_size(layout, policy); !checked) return checked.error();
            auto made = create(layout, policy);
            if (!made) return made;
            auto next = next_of_start();
            number_writer<View> writer(made->view_);
            bool fits = true;
            for (auto number = next(); number && fits; number = next()) fits = writer.add(*number);
            if (writer.finish() && fits) return made;
            layout = larger(layout, 1.02);
        }
    }

    // ---- other layouts. On an error nothing has changed.

    // Room for so many keys in all, so that no insertion grows the filter before.
    result<void> reserve(std::uint64_t keys) {
        finish();
        if (keys <= spec_.planned_keys) return {};
        return relayout(layout_of(keys));
    }
    // The layout for the numbers that are there.
    result<void> shrink_to_fit() {
        finish();
        return guarded([&] { return relayout_smaller(layout_of(count_numbers().cells)); });
    }
    // Drops bits of all numbers, as many as leave the rate of the present keys at or below `fpr`. Returns how many.
    result<std::uint64_t> lower_rate(double fpr) {
        if (!(fpr > 0 && fpr < 1))
            return make_error(errc::bad_field, "fpr")
                .with_note("a false positive rate lies between 0 and 1, both excluded");
        finish();
        std::uint64_t bits = 0;
        const auto done = guarded([&]() -> result<void> {
            const number_count now = count_numbers();
            const auto rate = [&](std::uint64_t dropped) {
                return static_cast<double>(now.distinct) / static_cast<double>(universe() >> dropped);
            };
            const auto most = static_cast<std::uint64_t>(std::countr_zero(universe()));
            while (bits < most && (universe() >> (bits + 1)) >= least_universe && rate(bits + 1) <= fpr)
                ++bits;
            if (bits == 0) return {};
            filter_spec layout = number_layout(spec_[rank_field::form], universe() >> bits,
                                               std::max<std::uint64_t>(now.cells, 1));
            layout.planned_fpr = std::max(fpr, spec_.planned_fpr);
            return replace(layout, [&] { return coarse_numbers(*this, layout[rank_field::universe]); });
        });
        if (!done) return done.error();
        return bits;
    }
    // The numbers of both, in the smaller universe, which differs from the larger by a power of two. Returns how many entries there are.
    result<std::uint64_t> merge(const rank_growth& other) {
        if (!are_joinable_universes(universe(), other.universe()))
            return make_error(errc::spec_mismatch, "universe")
                .with_found(other.universe())
                .with_expected(universe());
        const std::uint64_t smaller = std::min(universe(), other.universe());
        number_count count;
        const auto done = guarded([&]() -> result<void> {
            const auto both = [&] {
                return joined_numbers(coarse_numbers(*this, smaller), coarse_numbers(other, smaller),
                                      is_multiset);
            };
            count = count_of(both());
            const std::uint64_t needed = std::max<std::uint64_t>(count.cells, 1);
            const bool fits = smaller == universe() && needed <= spec_.planned_keys;
            return replace(fits ? spec_ : number_layout(spec_[rank_field::form], smaller, needed), both);
        });
        if (!done) return done.error();
        return count.all;
    }
    // Moves up to so many lines of a growth that has begun; true if there is none left.
    bool advance(std::uint64_t lines) noexcept {
        for (; old_ && lines != 0; --lines)
            if (is_stuck_ || !move_line()) return leave_stuck_growth();
        return !old_;
    }
    void finish() noexcept { advance(UINT64_MAX); }
    // Ends a growth and clears marks that erasures left, so that the bytes depend on the numbers alone. False if memory is refused.
    bool settle() noexcept {
        if (!advance(UINT64_MAX)) return false;
        if (std::exchange(has_erased_, false)) view_.clear_stale_marks();
        return true;
    }
    void clear() noexcept {
        if (old_) ++layouts_;
        old_.reset();
        std::memset(buffer_.data(), 0, buffer_.size_bytes());
    }
    std::uint64_t lines_moved() const noexcept { return lines_moved_; }  // by all growths together
    // Changes whenever the layout, the memory or is_growing() does.
    std::uint64_t layouts() const noexcept { return layouts_; }

    // Replaces the contents by the numbers of next().
    template <class NextOfStart>
    result<void> replace(const filter_spec& layout, const NextOfStart& next_of_start) {
        filter_spec wanted = layout;
        if (wanted.planned_fpr == 0) wanted.planned_fpr = spec_.planned_fpr;
        if (wanted[rank_field::lines] == 0) return no_layout();
        auto made = from_numbers(wanted, policy_, next_of_start);
        if (!made) return made.error();
        made->lines_moved_ = lines_moved_;
        made->layouts_ = layouts_ + 1;
        *this = std::move(*made);
        return {};
    }
    filter_spec layout_of(std::uint64_t keys) const {
        filter_spec layout = number_layout(spec_[rank_field::form], universe(), keys);
        layout.planned_fpr = spec_.planned_fpr;
        return layout;
    }

private:
    // Less would let a growth take so long that the old layout fills up before its end.
    static constexpr std::uint64_t least_lines_per_insertion = 8;

    struct old_layout {
        aligned_buffer second_and_list;
        View view;
        number_reader reader, new_reader;
        std::uint64_t frontier;
        std::uint64_t lines_left;  // of the new layout
        std::vector<counted_number> line{};
        std::uint64_t line_number = UINT64_MAX;
    };

    bool is_old(const key_hash& hash) const noexcept { return view_.digits().number(hash) < old_->frontier; }
    std::uint64_t may_contain_word(std::span<const key_hash> hashes) const noexcept {
        key_hash sorted[2][64];
        std::uint64_t places[2] = {0, 0}, answers = 0;
        std::size_t counts[2] = {0, 0};
        for (std::size_t i = 0; i < hashes.size(); ++i) {
            const std::size_t which = is_old(hashes[i]) ? 1 : 0;
            sorted[which][counts[which]++] = hashes[i];
            places[which] |= std::uint64_t{1} << i;
        }
        for (const std::size_t which : {0, 1}) {
            if (counts[which] == 0) continue;
            std::uint64_t found = 0;
            const View& asked = which == 0 ? view_ : old_->view;
            asked.may_contain_many({sorted[which], counts[which]}, {&found, 1});
            for (std::uint64_t left = places[which]; left != 0; left &= left - 1, found >>= 1)
                answers |= (found & 1) << std::countr_zero(left);
        }
        return answers;
    }
    insertion insert_once(const key_hash& hash) noexcept { return changed_view(hash).insert_one(hash); }
    View& changed_view(const key_hash& hash) noexcept {
        if (!old_ || !is_old(hash)) return view_;
        old_->line_number = UINT64_MAX;  // what was read of the line may change
        return old_->view;
    }

    static error no_layout() {
        return make_error(errc::size_overflow, "layout").with_note("no layout has room for so many numbers");
    }
    static result<void> check_size(const filter_spec& layout, const growth_policy& policy) {
        if (layout[rank_field::lines] == 0) return no_layout();
        const auto needed = View::payload_bytes(layout);
        if (!needed) return make_error(errc::size_overflow, "payload of this spec");
        if (*needed > policy.max_bytes)
            return make_error(errc::too_large, "filter bytes")
                .with_found(*needed)
                .with_range(0, policy.max_bytes);
        return {};
    }
    static filter_spec larger(const filter_spec& layout, double factor) {
        const double keys = static_cast<double>(layout.planned_keys) * factor + 8;
        if (!(keys < 0x1p62)) return {};
        filter_spec made = number_layout(layout[rank_field::form], layout[rank_field::universe],
                                         static_cast<std::uint64_t>(keys));
        made.planned_fpr = layout.planned_fpr;
        return made;
    }
    filter_spec layout_for_more() const {
        return larger(spec_, std::clamp(policy_.factor, least_growth_factor, most_growth_factor));
    }
    template <class Work>
    static auto guarded(const Work& work) noexcept -> decltype(work()) {
        try {
            return work();
        } catch (const std::bad_alloc&) {
            return make_error(errc::out_of_memory, "numbers of the filter");
        }
    }

    // After a refusal: more room, by growth or by ending one that is under way. False if memory is refused.
    bool make_room() noexcept {
        if (old_) return advance(UINT64_MAX);
        // A key that comes again and again fills the list of any layout, which then grows by more and more.
        return guarded([&] { return relayout(layout_for_more()); }).has_value();
    }
    // The new layout was too small for what came while it grew.
    bool leave_stuck_growth() noexcept {
        if (!is_stuck_) return false;
        return guarded([&] { return relayout_elsewhere(layout_for_more()); }).has_value();
    }
    result<void> relayout(const filter_spec& layout) {
        if (auto started = start(layout, false); !started) return started;
        if (!old_) return {};
        finish();
        if (old_) return make_error(errc::out_of_memory, "filter bytes");
        return {};
    }
    result<void> relayout_smaller(const filter_spec& layout) {
        const auto size = View::payload_bytes(layout);
        if (layout[rank_field::lines] == 0 || (size && *size >= buffer_.size_bytes())) return {};
        return relayout_elsewhere(layout);
    }
    result<void> relayout_elsewhere(const filter_spec& layout) {
        return replace(layout,
                       [&] { return [numbers = cursor(*this)]() mutable { return numbers.next(); }; });
    }
    // Begins a growth in place; if that cannot be, the whole filter is laid out anew elsewhere.
    result<void> start(const filter_spec& layout, bool step_by_step) noexcept {
        return guarded([&]() -> result<void> {
            if (auto checked = check_size(layout, policy_); !checked) return checked;
            const std::uint64_t lines = spec_[rank_field::lines];
            const std::uint64_t size = *View::payload_bytes(layout);
            const bool is_small = lines < least_lines_in_place && !step_by_step;
            if (is_small || layout[rank_field::lines] < lines || size < buffer_.size_bytes())
                return relayout_elsewhere(layout);
            const std::uint64_t first_bytes = lines * rank_line_bytes;
            auto aside =
                aligned_buffer::copy_of(buffer_.bytes().subspan(static_cast<std::size_t>(first_bytes)));
            if (!aside) return aside.error();
            std::byte* const second = aside->data();
            auto old = std::make_unique<old_layout>(old_layout{
                std::move(*aside), View(spec_, buffer_.data(), second), number_reader(view_.digits()),
                number_reader(number_digits(layout)), universe(), layout[rank_field::lines]});
            if (auto resized = buffer_.resize(size); !resized) return resized;
            const std::uint64_t new_first_bytes = layout[rank_field::lines] * rank_line_bytes;
            std::memset(buffer_.data() + new_first_bytes, 0,
                        static_cast<std::size_t>(size - new_first_bytes));
            old->view = View(spec_, buffer_.data(), second);
            const double planned_fpr = spec_.planned_fpr;
            spec_ = layout;
            spec_.planned_fpr = planned_fpr;
            view_ = View(spec_, buffer_.data());
            old_ = std::move(old);
            is_stuck_ = false;
            ++layouts_;
            return {};
        });
    }
    // Writes the last line of the new layout that has not been written. False if memory is refused or what the line forwards finds
    // no room; the line is then still in the old layout.
    bool move_line() noexcept {
        try {
            old_layout& old = *old_;
            const std::uint64_t line = old.lines_left - 1;
            const std::uint64_t first = old.new_reader.first_number_of(line);
            numbers_.clear();
            if (first < old.frontier) {
                // At most two lines of the old layout, since it has fewer; the one read last is needed again.
                const std::uint64_t lowest = old.view.digits().of_number(first).line;
                for (std::uint64_t from = old.view.digits().of_number(old.frontier - 1).line + 1;
                     from-- != lowest;) {
                    if (old.line_number != from) old.view.read_line(old.reader, from, old.line);
                    old.line_number = from;
                    for (auto each = old.line.rbegin(); each != old.line.rend() && each->number >= first;
                         ++each)
                        if (each->number < old.frontier) numbers_.push_back(*each);
                }
                number_writer<View> writer(view_);
                bool fits = true;
                for (auto each = numbers_.rbegin(); each != numbers_.rend() && fits; ++each)
                    fits = writer.add(*each);
                if (!writer.finish() || !fits) is_stuck_ = true;
            }
            if (is_stuck_) return false;
            if (numbers_.empty()) std::memset(buffer_.data() + line * rank_line_bytes, 0, rank_line_bytes);
            old.frontier = std::min(first, old.frontier);
            old.lines_left = line;
            ++lines_moved_;
            if (line == 0) {
                old_.reset();
                ++layouts_;
            }
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }
    static constexpr std::uint64_t least_lines_in_place = 64;

    filter_spec spec_;
    aligned_buffer buffer_;
    View view_;
    growth_policy policy_;
    std::unique_ptr<old_layout> old_;
    std::vector<counted_number> numbers_;  // of the line that is being moved, in descending order
    std::uint64_t lines_moved_ = 0, layouts_ = 0;
    bool is_stuck_ = false, has_erased_ = false;
};

MEMBRANE_TARGET_END
