#include "filter_stack.hpp"

#include <algorithm>
#include <utility>

#include <membrane/base/checked_math.hpp>
#include <membrane/kind/balanced_rank/spec.hpp>
#include <membrane/part/batch.hpp>
#include <membrane/part/number_streams.hpp>

#include "memory.hpp"

namespace membrane::redis {

namespace {

// Whether any two keys that the newer filter cannot distinguish are also indistinguishable in the older filter.
bool refines(const filter_spec& newer, const filter_spec& older) {
    if (newer.kind != kind_id::balanced_rank || older.kind != kind_id::balanced_rank) return false;
    return newer[balanced_rank_field::universe] >= older[balanced_rank_field::universe] &&
           are_joinable_universes(newer[balanced_rank_field::universe], older[balanced_rank_field::universe]);
}

// How many more keys the next layout has room for at least; it uses the whole block that the allocator makes.
constexpr double growth_factor = 1.1;

std::uint64_t left_of(std::uint64_t max_bytes, std::uint64_t used) {
    return max_bytes == no_byte_limit ? no_byte_limit : max_bytes - std::min(used, max_bytes);
}

// While a filter grows: of the layout that it is growing to.
std::uint64_t payload_bytes(const any_filter& filter) {
    return filter.is_growing() ? filter.kind().rules.payload_bytes(filter.spec()).value_or(0)
                               : filter.size_bytes();
}

std::uint64_t add_up(std::uint64_t a, std::uint64_t b) { return a + std::min(b, UINT64_MAX - a); }

}  // namespace

result<void> check_options(const stack_options& options) {
    if (options.role < stack_role::membership || options.role > stack_role::counts)
        return make_error(errc::bad_field, "role").with_found(static_cast<std::uint64_t>(options.role));
    if (!(options.error_rate >= 0 && options.error_rate <= 1))
        return make_error(errc::bad_field, "error rate");
    if (options.expansion > max_expansion)
        return make_error(errc::bad_field, "expansion")
            .with_found(options.expansion)
            .with_range(0, max_expansion);
    if (options.expansion != 0 && (options.first_keys == 0 || options.error_rate == 0))
        return make_error(errc::bad_field, "first keys").with_note("a stack that grows was planned for keys");
    return {};
}

result<void> check_first_link(const filter_spec& spec, const hasher& hash, stack_role role) {
    const capabilities can = capabilities_of(spec);
    if (role == stack_role::erasable && !(can.erase && can.count))
        return make_error(errc::not_supported, "erasing").with_note("this kind does not take keys out again");
    if ((role == stack_role::counts) != (spec.kind == kind_id::count_min))
        return make_error(errc::not_supported, "kind")
            .with_note("counts are kept in a count_min, and only there");
    if (hash.id == hash_id::precomputed)
        return make_error(errc::not_supported, "hash precomputed")
            .with_note("the server hashes its keys itself");
    return {};
}

result<void> check_next_link(const any_view& newer, const any_view& older, stack_role role) {
    if (auto checked = check_first_link(newer.spec(), newer.hash(), role); !checked) return checked;
    if (role == stack_role::counts) return make_error(errc::not_supported, "growing counts");
    if (!(newer.hash() == older.hash()))
        return make_error(errc::spec_mismatch, "hash key").with_note("the links of a stack have one hash");
    if (role == stack_role::erasable && !refines(newer.spec(), older.spec()))
        return make_error(errc::spec_mismatch, "lines")
            .with_note("a later link of a stack with erasure must tell keys apart as well as the earlier");
    return {};
}

result<filter_stack> filter_stack::copy_of(const filter_stack& other) {
    filter_stack copy(other.options_);
    copy.erased_ = other.erased_;
    if (auto copied = copy.copy_links(other); !copied) return copied.error();
    return result<filter_stack>(std::move(copy));
}

result<void> filter_stack::copy_links(const filter_stack& other) {
    const memory_meter meter(block_bytes_);
    if (other.few_) {
        auto made = few_numbers::copy_of(*other.few_);
        if (!made) return made.error();
        few_ = std::move(*made);
    }
    links_.reserve(other.links_.size());
    for (const stack_link& link : other.links_) {
        auto made = any_filter::copy_of(link.filter);
        if (!made) return made.error();
        links_.push_back({std::move(*made), link.grows});
    }
    return {};
}

std::uint64_t filter_stack::keys() const noexcept {
    if (few_) return few_->keys();
    std::uint64_t sum = 0;
    for (const stack_link& link : links_) sum = add_up(sum, link.filter.keys());
    return sum;
}

std::uint64_t filter_stack::promised_keys() const noexcept {
    if (few_) return few_->promised_keys();
    std::uint64_t sum = 0;
    for (const stack_link& link : links_) sum = add_up(sum, link.filter.promised_keys());
    return sum;
}

double filter_stack::promised_fpr() const noexcept {
    if (few_) return few_->planned_fpr();
    double sum = 0;
    for (const stack_link& link : links_) sum += link.filter.spec().planned_fpr;
    return sum;
}

std::uint64_t filter_stack::capacity() const noexcept {
    const bool has_fixed_links = !few_ && !links_.front().grows;
    if (has_fixed_links || options_.first_keys == 0) return promised_keys();
    const std::uint64_t present = keys();
    std::uint64_t sum = options_.first_keys, newest = options_.first_keys;
    if (options_.expansion == 1) {
        const std::uint64_t filters = std::max<std::uint64_t>(1, divide_rounding_up(present, sum));
        return checked_multiply(filters, sum).value_or(UINT64_MAX);
    }
    while (options_.expansion != 0 && sum < present) {
        newest = checked_multiply(newest, options_.expansion).value_or(UINT64_MAX);
        sum = add_up(sum, newest);
    }
    return sum;
}

std::uint64_t filter_stack::filter_bytes() const noexcept {
    if (few_) return few_->size_bytes();
    std::uint64_t sum = 0;
    for (const stack_link& link : links_) sum += payload_bytes(link.filter);
    return sum;
}

result<void> filter_stack::append(const filter_spec& spec, const hasher& hash, std::uint64_t max_bytes) {
    const memory_meter meter(block_bytes_);
    if (links_.empty() && !few_ && few_numbers::is_spec_of_few(spec)) {
        auto made = few_numbers::create(spec, hash);
        if (!made) return made.error();
        return place(std::move(*made));
    }
    auto made = any_filter::create(spec, hash, left_of(max_bytes, filter_bytes()));
    if (!made) return made.error();
    return place(std::move(*made));
}

result<void> filter_stack::append_file(byte_span file, std::uint64_t max_bytes) {
    const memory_meter meter(block_bytes_);
    if (few_numbers::is_image(file)) {
        auto numbers = few_numbers::open(file);
        if (!numbers) return numbers.error();
        return place(std::move(*numbers));
    }
    auto link = any_filter::open_copy(file, left_of(max_bytes, filter_bytes()));
    if (!link) return link.error();
    return place(std::move(*link));
}

result<filter_stack> filter_stack::from_file(byte_span file, std::uint64_t max_bytes) {
    filter_stack stack({});
    if (auto opened = stack.open_only_link(file, max_bytes); !opened) return opened.error();
    return result<filter_stack>(std::move(stack));
}

result<void> filter_stack::open_only_link(byte_span file, std::uint64_t max_bytes) {
    const memory_meter meter(block_bytes_);
    auto filter = any_filter::open_copy(file, max_bytes);
    if (!filter) return filter.error();
    const filter_spec& spec = filter->spec();
    const capabilities can = capabilities_of(spec);
    options_.role = spec.kind == kind_id::count_min ? stack_role::counts
                    : can.erase && can.count        ? stack_role::erasable
                                                    : stack_role::membership;
    options_.has_given_kind = true;
    options_.error_rate = spec.planned_fpr;
    options_.first_keys = filter->promised_keys();
    return place(std::move(*filter));
}

result<void> filter_stack::place(few_numbers numbers) {
    if (few_ || !links_.empty())
        return make_error(errc::bad_field, "links").with_note("a list of numbers is the only link");
    if (auto checked = check_options(options_); !checked) return checked;
    if (auto checked = check_first_link(numbers.spec(), numbers.hash(), options_.role); !checked)
        return checked;
    few_ = std::move(numbers);
    return {};
}

result<void> filter_stack::place(any_filter filter) {
    if (links_.size() == max_links)
        return make_error(errc::full, "links").with_found(links_.size()).with_range(1, max_links);
    if (few_) {
        // Its promise is used up, although the numbers are few.
        if (auto made = lay_out(few_->keys(), no_byte_limit); !made) return made;
    }
    if (links_.empty()) {
        if (auto checked = check_options(options_); !checked) return checked;
        if (auto checked = check_first_link(filter.spec(), filter.hash(), options_.role); !checked)
            return checked;
    } else if (auto checked = check_next_link(filter, links_.back().filter, options_.role); !checked) {
        return checked;
    }
    const bool grows = filter.universe() != 0;
    if (links_.capacity() == links_.size()) links_.reserve(links_.size() + 1);
    links_.push_back({std::move(filter), grows});
    return {};
}

result<void> filter_stack::lay_out(std::uint64_t keys, std::uint64_t max_bytes) {
    const std::uint64_t capacity = options_.first_keys + options_.first_keys / 16;
    const std::uint64_t promised = few_->promised_keys();
    const std::uint64_t wanted = std::max(keys, capacity);
    auto table = few_->as_table(promised == 0 ? wanted : std::min(wanted, promised), max_bytes);
    if (!table && wanted > keys) table = few_->as_table(keys, max_bytes);
    if (!table) return table.error();
    links_.reserve(1);
    few_.reset();
    links_.push_back({std::move(*table), true});
    return {};
}

bool filter_stack::may_contain(key_hash hash) const noexcept {
    if (few_) return few_->may_contain(hash);
    // Newest first: it usually has the most keys.
    for (std::size_t i = links_.size(); i-- != 0;)
        if (links_[i].filter.may_contain(hash)) return true;
    return false;
}

void filter_stack::may_contain_many(std::span<const key_hash> hashes, std::span<std::uint64_t> answers,
                                    std::span<std::uint64_t> scratch) const noexcept {
    if (few_) {
        std::fill_n(answers.begin(), bitmap_words(hashes.size()), 0);
        for (std::size_t i = 0; i < hashes.size(); ++i)
            answers[i / 64] |= std::uint64_t{few_->may_contain(hashes[i])} << (i % 64);
        return;
    }
    links_.back().filter.may_contain_many(hashes, answers);
    for (std::size_t i = links_.size() - 1; i-- != 0;) {
        links_[i].filter.may_contain_many(hashes, scratch);
        for (std::size_t word = 0; word < answers.size(); ++word) answers[word] |= scratch[word];
    }
}

std::uint64_t filter_stack::estimate(key_hash hash) const noexcept {
    if (few_) return few_->estimate(hash);
    std::uint64_t sum = 0;
    for (const stack_link& link : links_) {
        const auto times = link.filter.estimate(hash);
        if (times) sum = add_up(sum, *times);
    }
    return sum;
}

void filter_stack::set_terms(const growth_terms& terms) noexcept {
    const std::uint64_t left = left_of(terms.max_bytes, filter_bytes());
    // A small filter may be moved by one command as a whole; then it need not begin early.
    constexpr std::uint64_t small_bytes = 600 * 64;
    const auto lines = [&](const any_filter& filter) {
        return payload_bytes(filter) <= small_bytes ? std::max(16.0, terms.lines_per_insertion)
                                                    : terms.lines_per_insertion;
    };
    for (stack_link& link : links_)
        if (link.grows)
            (void)link.filter.set_growth({.factor = growth_factor,
                                          .max_bytes = add_up(left, payload_bytes(link.filter)),
                                          .lines_per_insertion = lines(link.filter),
                                          .in_own_block = true,
                                          .block_bytes = &block_bytes});
}

void filter_stack::prepare_for(std::uint64_t more_keys, const growth_terms& terms) {
    const memory_meter meter(block_bytes_);
    // A growth would begin a little before a layout for exactly these keys has them all.
    more_keys = add_up(more_keys, more_keys / 16);
    const std::uint64_t present = keys(), all = add_up(present, more_keys);
    if (few_) {
        if (all <= few_numbers::most_keys(few_->universe())) return;
        if (lay_out(all, terms.max_bytes)) set_terms(terms);
        return;
    }
    stack_link& newest = links_.back();
    if (!newest.grows || newest.filter.is_growing() || more_keys < newest.filter.keys() / 4) return;
    const std::uint64_t wanted =
        std::min(add_up(newest.filter.keys(), more_keys), newest.filter.promised_keys());
    // If it is refused, the filter grows step by step as far as it can.
    (void)newest.filter.reserve(wanted);
}

add_result filter_stack::add_if_absent(key_hash hash, const growth_terms& terms) {
    return may_contain(hash) ? add_result::present : add(hash, terms);
}

bool filter_stack::is_full() const noexcept {
    if (options_.expansion == 0 && options_.first_keys != 0) return keys() >= options_.first_keys;
    return few_ && few_->promised_keys() != 0 && few_->keys() >= few_->promised_keys();
}

add_result filter_stack::add(key_hash hash, const growth_terms& terms) {
    const memory_meter meter(block_bytes_);
    if (is_full()) return add_result::full;
    if (few_) {
        if (few_->insert(hash)) return add_result::stored;
        if (!lay_out(few_->keys() + few_->keys() / 4, terms.max_bytes)) return add_result::refused;
        set_terms(terms);
    }
    bool is_refused = false;
    // Older links have room after keys were erased from them.
    for (std::size_t i = links_.size(); i-- != 0;) {
        const bool may_exceed = options_.expansion == 0 && options_.first_keys != 0;
        if (!may_exceed && !links_[i].has_room()) continue;
        if (links_[i].filter.insert(hash)) return add_result::stored;
        is_refused |= links_[i].grows;
    }
    return is_refused ? add_result::refused : add_result::full;
}

bool filter_stack::erase(key_hash hash) noexcept {
    bool is_erased = few_ && few_->erase(hash);
    for (std::size_t i = links_.size(); i-- != 0 && !is_erased;) {
        const auto erased = links_[i].filter.erase(hash);
        is_erased = erased && *erased;
    }
    erased_ += is_erased ? 1 : 0;
    return is_erased;
}

result<void> filter_stack::merge(std::span<const filter_stack* const> others) {
    const memory_meter meter(block_bytes_);
    // Lists of numbers as tables.
    std::vector<any_filter> tables;
    tables.reserve(others.size());
    std::vector<std::vector<const any_view*>> sources(filters());
    if (few_)
        if (auto made = lay_out(few_->keys(), no_byte_limit); !made) return made;
    for (const filter_stack* const other : others) {
        if (other->filters() != links_.size())
            return make_error(errc::spec_mismatch, "number of links")
                .with_found(other->filters())
                .with_expected(links_.size());
        if (other->few_) {
            auto table = other->few_->as_table(other->few_->keys(), no_byte_limit);
            if (!table) return table.error();
            tables.push_back(std::move(*table));
            sources[0].push_back(&tables.back());
            continue;
        }
        for (std::size_t i = 0; i < links_.size(); ++i) sources[i].push_back(&other->links_[i].filter);
    }
    for (std::size_t i = 0; i < links_.size(); ++i)
        if (auto joined = links_[i].filter.merge(sources[i]); !joined) return joined;
    return {};
}

void filter_stack::shrink() noexcept {
    const memory_meter meter(block_bytes_);
    for (stack_link& link : links_)
        if (link.grows) (void)link.filter.shrink_to_fit();
}

bool filter_stack::settle() noexcept {
    const memory_meter meter(block_bytes_);
    bool is_done = true;
    for (stack_link& link : links_)
        if (link.grows) is_done &= link.filter.settle().has_value();
    return is_done;
}

filter_stack::step filter_stack::settle_by_a_step() noexcept {
    const memory_meter meter(block_bytes_);
    for (stack_link& link : links_) {
        const std::uint64_t before = link.filter.lines_moved();
        if (!link.filter.advance_growth(lines_of_a_command))
            return link.filter.lines_moved() == before ? step::refused : step::goes_on;
    }
    return settle() ? step::whole : step::refused;
}

void filter_stack::reallocate_small_blocks() noexcept {
    // jemalloc's largest small size class; above it, blocks are whole pages.
    constexpr std::uint64_t largest_small_block = 14336;
    const memory_meter meter(block_bytes_);
    try {
        if (few_) {
            auto moved = few_numbers::copy_of(*few_);
            if (moved) few_ = std::move(*moved);
        }
        for (stack_link& link : links_) {
            if (link.filter.is_growing() || link.filter.size_bytes() > largest_small_block) continue;
            auto moved = any_filter::copy_of(link.filter);
            if (moved) link.filter = std::move(*moved);
        }
    } catch (const std::bad_alloc&) {
        // The blocks stay where they are.
    }
}

}  // namespace membrane::redis
