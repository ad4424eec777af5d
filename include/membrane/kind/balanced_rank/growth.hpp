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
#include <membrane/base/exceptions.hpp>
#include <membrane/base/refusal.hpp>
#include <membrane/base/unused_pages.hpp>
#include <membrane/kind/balanced_rank/choose_layout.hpp>
#include <membrane/kind/balanced_rank/growth_pace.hpp>
#include <membrane/kind/balanced_rank/lines_read.hpp>
#include <membrane/kind/balanced_rank/view.hpp>
#include <membrane/part/growth_policy.hpp>
#include <membrane/part/number_streams.hpp>

MEMBRANE_TARGET_BEGIN

template <class View>
class rank_growth {
public:
    static constexpr bool is_multiset = View::keeps_equal;

    // A layout that the kind's rules allow.
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
    std::uint64_t universe() const noexcept { return spec_[balanced_rank_field::universe]; }
    // Memory in use, that of a growth included.
    std::uint64_t held_bytes() const noexcept {
        return buffer_.size_bytes() + (old_ ? old_->memory.size_bytes() : 0);
    }
    // ---- keys
    // A temporary stays in registers: see rank_entries.
    template <class Hash = key_hash>
    bool may_contain(Hash&& hash) const noexcept {
        return old_ && is_old(hash) ? old_->view.may_contain(std::forward<Hash>(hash))
                                    : view_.may_contain(std::forward<Hash>(hash));
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

    // Refused only if memory is: the multiset is then as it was, and so are the bytes, unless a growth found the new list too small and
    // memory for a larger layout was refused. The growth then stays where it is, and goes on with the next insertion that needs room.
    insertion insert(const key_hash& hash) noexcept {
        if (old_ == nullptr && policy_.lines_per_insertion != 0 &&
            view_.has_list_above(growth_pace::starting_share(policy_)) && pace_.may_start())
            pace_.started(grow([&](const filter_spec& layout) { return start(layout, true); }));
        insertion done = insert_once(hash);
        while (done == insertion::refused && make_room()) done = insert_once(hash);
        if (old_ && policy_.lines_per_insertion != 0 && done != insertion::refused)
            advance(pace_.lines(policy_));
        return done;
    }
    // How many were stored before the first that was refused.
    std::size_t insert_many(std::span<const key_hash> hashes) noexcept {
        std::size_t stored = 0;
        if (policy_.lines_per_insertion == 0 && old_ == nullptr)
            for (;;) {
                stored += view_.insert_many(hashes.subspan(stored));
                if (stored == hashes.size() || !make_room()) return stored;
            }
        while (stored < hashes.size() && insert(hashes[stored]) != insertion::refused) ++stored;
        return stored;
    }
    // All keys of an empty filter. False if memory is refused, and the filter is empty.
    bool build(const hash_batches& hashes, unsigned threads) noexcept {
        finish();
        if (insert_all(view_, hashes, threads)) return true;
        clear();
        const bool is_stored = hashes.visit_range(0, hashes.size(), [&](std::span<const key_hash> piece) {
            return insert_many(piece) == piece.size();
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

    // Why there was no growth for another key.
    error refusal() const noexcept {
        const auto sized = check_size(layout_for_more(), policy_);
        if (sized) return memory_to_grow_refused();
        return sized.error().code == errc::too_large ? limit_reached(policy_.max_bytes) : sized.error();
    }

    // ---- numbers

    // In ascending order, also while the filter grows.
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
    // layout has, it is enlarged by `factor` at a time. Throws std::bad_alloc as `next` does.
    template <class Next>
    static result<rank_growth> from_numbers(filter_spec layout, const growth_policy& policy,
                                            const Next& next_of_start, double factor = 1.02) {
        for (;;) {
            if (auto checked = check_size(layout, policy); !checked) return checked.error();
            auto made = create(layout, policy);
            if (!made) return made;
            auto next = next_of_start();
            number_writer<View> writer(made->view_);
            bool fits = true;
            for (auto number = next(); number && fits; number = next()) fits = writer.add(*number);
            if (writer.finish() && fits) return made;
            layout = larger(layout, factor);
        }
    }

    // ---- other layouts. On an error nothing has changed.

    static constexpr auto larger = &larger_number_layout;
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
            filter_spec layout = number_layout(spec_[balanced_rank_field::form], universe() >> bits,
                                               std::max<std::uint64_t>(now.cells, 1));
            layout.planned_fpr = std::max(fpr, spec_.planned_fpr);
            return replace(layout,
                           [&] { return coarse_numbers(*this, layout[balanced_rank_field::universe]); });
        });
        if (!done) return done.error();
        return bits;
    }
    // The numbers of both, in the smaller universe, which differs from the larger by a power of two.
    result<void> merge(const rank_growth& other) {
        if (!are_joinable_universes(universe(), other.universe()))
            return make_error(errc::spec_mismatch, "universe")
                .with_found(other.universe())
                .with_expected(universe());
        const std::uint64_t smaller = std::min(universe(), other.universe());
        return guarded([&]() -> result<void> {
            const auto both = [&] {
                return joined_numbers(coarse_numbers(*this, smaller), coarse_numbers(other, smaller),
                                      is_multiset);
            };
            const std::uint64_t needed = std::max<std::uint64_t>(count_of(both()).cells, 1);
            const bool fits = smaller == universe() && needed <= spec_.planned_keys;
            return replace(fits ? spec_ : number_layout(spec_[balanced_rank_field::form], smaller, needed),
                           both);
        });
    }
    // Moves up to so many lines of a growth under way; true if none is left.
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
        if (wanted[balanced_rank_field::lines] == 0) return no_layout();
        auto made = from_numbers(wanted, policy_, next_of_start);
        if (!made) return made.error();
        made->lines_moved_ = lines_moved_;
        made->layouts_ = layouts_ + 1;
        *this = std::move(*made);
        return {};
    }
    filter_spec layout_of(std::uint64_t keys) const {
        filter_spec layout = number_layout(spec_[balanced_rank_field::form], universe(), keys);
        layout.planned_fpr = spec_.planned_fpr;
        return layout;
    }

private:
    struct old_layout {
        aligned_buffer memory;  // of the whole layout, or of its second table and list
        View view;
        number_reader reader, new_reader;
        std::uint64_t frontier;
        std::uint64_t lines_left;      // of the new layout
        std::uint64_t bytes_held = 0;  // of a first table in its own block: those behind have been returned
        lines_read<View> read{};
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
        for (std::size_t which = 0; which < 2; ++which) {
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
        old_->read.forget(old_->view.digits().of(hash).line);
        return old_->view;
    }

    static error no_layout() {
        return make_error(errc::size_overflow, "layout").with_note("no layout has room for so many numbers");
    }
    static result<void> check_size(const filter_spec& layout, const growth_policy& policy) {
        if (layout[balanced_rank_field::lines] == 0) return no_layout();
        const auto needed = View::payload_bytes(layout);
        if (!needed) return make_error(errc::size_overflow, "payload of this spec");
        if (*needed > policy.max_bytes)
            return make_error(errc::too_large, "filter bytes")
                .with_found(*needed)
                .with_range(0, policy.max_bytes);
        return {};
    }
    filter_spec layout_for_more() const {
        filter_spec made =
            larger_number_layout(spec_, growth_pace::factor(policy_, spec_[balanced_rank_field::cells]));
        if (policy_.block_bytes == nullptr || made[balanced_rank_field::lines] == 0) return made;
        made = number_layout_in_block(made[balanced_rank_field::form], universe(), made.planned_keys,
                                      policy_.block_bytes);
        made.planned_fpr = spec_.planned_fpr;
        return made;
    }
    template <class Work>
    static auto guarded(const Work& work) noexcept -> decltype(work()) {
        MEMBRANE_TRY { return work(); }
        MEMBRANE_CATCH(const std::bad_alloc&) {
            return make_error(errc::out_of_memory, "numbers of the filter");
        }
    }

    // After a refusal: more room, by growth or by ending one that is under way. False if memory is refused.
    bool make_room() noexcept {
        // A key that comes again and again fills the list of any layout, which then grows by more and more.
        return old_ ? advance(UINT64_MAX) : grow([&](const auto& layout) { return relayout(layout); });
    }
    // begin(layout) of the layout for more, if the policy allows it.
    template <class Begin>
    bool grow(const Begin& begin) noexcept {
        if (refused_.is_of(layouts_, policy_)) return false;
        const auto begun = guarded([&]() -> result<void> {
            const filter_spec layout = layout_for_more();
            if (check_size(layout, policy_)) return begin(layout);
            refused_.remember(layouts_, policy_);
            return no_layout();
        });
        return begun.has_value();
    }
    // The new layout was too small for what came while it grew.
    bool leave_stuck_growth() noexcept {
        return is_stuck_ && grow([&](const filter_spec& layout) { return relayout_elsewhere(layout); });
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
        if (layout[balanced_rank_field::lines] == 0 || (size && *size >= buffer_.size_bytes())) return {};
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
            const std::uint64_t lines = spec_[balanced_rank_field::lines];
            const std::uint64_t size = *View::payload_bytes(layout);
            const bool is_small = lines < least_lines_in_place && !step_by_step;
            // A growth that is under way still was refused memory: what it has not moved is in the old layout.
            if (old_ || is_small || layout[balanced_rank_field::lines] < lines || size < buffer_.size_bytes())
                return relayout_elsewhere(layout);
            if (step_by_step && policy_.in_own_block) return start_in_own_block(layout, size);
            const std::uint64_t first_bytes = lines * rank_line_bytes;
            auto aside =
                aligned_buffer::copy_of(buffer_.bytes().subspan(static_cast<std::size_t>(first_bytes)));
            if (!aside) return aside.error();
            std::byte* const second = aside->data();
            auto old = std::make_unique<old_layout>(old_layout{
                std::move(*aside), View(spec_, buffer_.data(), second), number_reader(view_.digits()),
                number_reader(number_digits(layout)), universe(), layout[balanced_rank_field::lines]});
            if (auto resized = buffer_.resize(size); !resized) return resized;
            const std::uint64_t new_first_bytes = layout[balanced_rank_field::lines] * rank_line_bytes;
            std::memset(buffer_.data() + new_first_bytes, 0,
                        static_cast<std::size_t>(size - new_first_bytes));
            old->view = View(spec_, buffer_.data(), second);
            begin(layout, std::move(old));
            return {};
        });
    }
    result<void> start_in_own_block(const filter_spec& layout, std::uint64_t size) {
        auto block = aligned_buffer::zeroed(size);
        if (!block) return block.error();
        auto old = std::make_unique<old_layout>(
            old_layout{aligned_buffer(), view_, number_reader(view_.digits()),
                       number_reader(number_digits(layout)), universe(), layout[balanced_rank_field::lines]});
        old->memory = std::exchange(buffer_, std::move(*block));
        old->bytes_held = old->view.lines() * rank_line_bytes;
        begin(layout, std::move(old));
        return {};
    }
    void begin(const filter_spec& layout, std::unique_ptr<old_layout> old) noexcept {
        const double planned_fpr = spec_.planned_fpr;
        spec_ = layout;
        spec_.planned_fpr = planned_fpr;
        view_ = View(spec_, buffer_.data());
        old_ = std::move(old);
        is_stuck_ = false;
        ++layouts_;
    }
    // Writes the last line of the new layout that has not been written. False if memory is refused or what the line forwards finds
    // no room; the line is then still in the old layout.
    bool move_line() noexcept {
        MEMBRANE_TRY {
            old_layout& old = *old_;
            const std::uint64_t line = old.lines_left - 1;
            const std::uint64_t first = old.new_reader.first_number_of(line);
            bool is_empty = true;
            if (first < old.frontier) {
                // At most two lines of the old layout, since it has fewer. Both are read before the new line is written over one.
                const std::uint64_t lowest = old.view.digits().of_number(first).line;
                const std::uint64_t highest = old.view.digits().of_number(old.frontier - 1).line;
                for (std::uint64_t from = lowest; from <= highest; ++from)
                    old.read.read(old.view, old.reader, from);
                number_writer<View> writer(view_);
                bool fits = true;
                for (std::uint64_t from = lowest; from <= highest; ++from)
                    for (const counted_number& each : old.read.numbers(from, first, old.frontier)) {
                        is_empty = false;
                        fits = fits && writer.add(each);
                    }
                is_stuck_ = !writer.finish() || !fits;
            }
            if (is_stuck_) return false;
            if (is_empty) std::memset(buffer_.data() + line * rank_line_bytes, 0, rank_line_bytes);
            old.frontier = std::min(first, old.frontier);
            old.lines_left = line;
            ++lines_moved_;
            if (line % lines_between_returns == 0 && old.bytes_held != 0) return_lines_behind_frontier();
            if (line == 0) {
                old_.reset();
                ++layouts_;
            }
            return true;
        }
        MEMBRANE_CATCH(const std::bad_alloc&) { return false; }
    }
    static constexpr std::uint64_t least_lines_in_place = 64;

    // Lines of the old layout that have been moved, a huge page or more at once: freeing it then takes no time for its pages.
    static constexpr std::uint64_t lines_between_returns = 1024, least_bytes = std::uint64_t{2} << 20;
    void return_lines_behind_frontier() noexcept {
        old_layout& old = *old_;
        const std::uint64_t needed =
            old.frontier == 0 ? 0
                              : (old.view.digits().of_number(old.frontier - 1).line + 1) * rank_line_bytes;
        if (old.bytes_held < needed + least_bytes) return;
        return_pages(old.memory.data() + needed, static_cast<std::size_t>(old.bytes_held - needed));
        old.bytes_held = needed;
    }

    filter_spec spec_;
    aligned_buffer buffer_;
    View view_;
    growth_policy policy_;
    std::unique_ptr<old_layout> old_;
    std::uint64_t lines_moved_ = 0, layouts_ = 0;
    growth_pace pace_;
    refused_growth refused_;
    bool is_stuck_ = false, has_erased_ = false;
};

MEMBRANE_TARGET_END
