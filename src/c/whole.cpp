// The filter as a whole: what it holds, and calls that change all of it.
#include <cstdlib>
#include <cstring>

#include "handle.hpp"
#include "report/filter_info.hpp"

namespace membrane::c {

namespace {

membrane_status status_of(const result<void>& outcome) {
    return outcome ? MEMBRANE_OK : fail(outcome.error());
}

result<bool> are_equal(const membrane_filter& a, const membrane_filter& b) {
    const auto in_memory = [](const membrane_filter& each) -> result<filter> {
        auto copy = any_filter::copy_of(each.complete_view());
        if (!copy) return copy.error();
        return filter(std::move(*copy));
    };
    const auto left = in_memory(a);
    if (!left) return left.error();
    const auto right = in_memory(b);
    if (!right) return right.error();
    return *left == *right;
}

// A change of a counter and of the list of its most counted keys: of both, or, when memory is refused, of none.
template <class Work>
membrane_status change_with_top(membrane_filter* filter, const Work& work) noexcept {
    return change(filter, [&](any_filter& own) {
        if (!filter->top) return work(own);
        static_cast<void>(filter->complete_view());
        auto changed = any_filter::copy_of(own);
        if (!changed) return fail(changed.error());
        if (const membrane_status status = work(*changed); status != MEMBRANE_OK) return status;
        auto top = std::make_unique<most_counted>(*changed);
        own = std::move(*changed);
        filter->top = std::move(top);
        return MEMBRANE_OK;
    });
}

}  // namespace

}  // namespace membrane::c

using namespace membrane::c;
using membrane::any_filter;
using membrane::any_view;

membrane_status membrane_kind(const membrane_filter* filter, const char** name) noexcept {
    // The names of kinds are literals, which end with a zero.
    return ask(filter, name, [](const any_view& view) { return view.kind().rules.name.data(); });
}
membrane_status membrane_insertions(const membrane_filter* filter, uint64_t* insertions) noexcept {
    return ask(filter, insertions, [](const any_view& view) { return view.keys(); });
}
membrane_status membrane_size_bytes(const membrane_filter* filter, uint64_t* bytes) noexcept {
    return ask(filter, bytes, [](const any_view& view) { return view.size_bytes(); });
}
membrane_status membrane_estimated_keys(const membrane_filter* filter, double* keys) noexcept {
    return ask(filter, keys, [](const any_view& view) { return view.estimated_size(); });
}
membrane_status membrane_estimated_fpr(const membrane_filter* filter, double* fpr) noexcept {
    return ask(filter, fpr, [](const any_view& view) { return view.estimated_fpr_now(); });
}
membrane_status membrane_abilities(const membrane_filter* filter, uint64_t* answer) noexcept {
    return ask(filter, answer, [](const any_view& view) {
        const membrane::capabilities can = capabilities_of(view.spec());
        std::uint64_t all = 0, bit = MEMBRANE_ERASE;
        for (const membrane::ability& each : membrane::abilities) {
            if (can.*each.can) all |= bit;
            bit *= 2;
        }
        return all;
    });
}
membrane_status membrane_is_mapped(const membrane_filter* filter, bool* answer) noexcept {
    return ask(filter, answer, [&](const any_view&) { return filter->own == nullptr; });
}

membrane_status membrane_info(const membrane_filter* filter, bool shows_key, char** json) noexcept {
    return ask(filter, json, [&](const any_view& view) {
        const auto file =
            filter->path.empty() ? membrane::report::json() : membrane::report::json(filter->path);
        const std::string text =
            membrane::report::json_text(membrane::report::info_json(file, view, shows_key));
        return static_cast<char*>(copy_for_caller(text.data(), text.size()));
    });
}

membrane_status membrane_is_equal(const membrane_filter* a, const membrane_filter* b, bool* answer) noexcept {
    if (is_any_null(a, b, answer)) return fail_null();
    return guarded([&] {
        if (a->own != nullptr && b->own != nullptr) {
            static_cast<void>(a->complete_view());
            static_cast<void>(b->complete_view());
            *answer = std::get<membrane::filter>(a->held) == std::get<membrane::filter>(b->held);
            return MEMBRANE_OK;
        }
        const auto equal = are_equal(*a, *b);
        if (!equal) return fail(equal.error());
        *answer = *equal;
        return MEMBRANE_OK;
    });
}

membrane_status membrane_clear(membrane_filter* filter) noexcept {
    return change_with_top(filter, [&](any_filter& own) {
        own.clear();
        return MEMBRANE_OK;
    });
}

membrane_status membrane_merge(membrane_filter* filter, const membrane_filter* other) noexcept {
    if (other == nullptr) return fail_null();
    return change_with_top(filter,
                           [&](any_filter& own) { return status_of(own.merge(other->complete_view())); });
}

membrane_status membrane_intersect(membrane_filter* filter, const membrane_filter* other) noexcept {
    if (other == nullptr) return fail_null();
    return change(filter, [&](any_filter& own) { return status_of(own.intersect(other->complete_view())); });
}

membrane_status membrane_grow(membrane_filter* filter, uint64_t keys) noexcept {
    return change(filter, [&](any_filter& own) { return status_of(own.reserve(keys)); });
}

membrane_status membrane_shrink(membrane_filter* filter) noexcept {
    return change(filter, [&](any_filter& own) { return status_of(own.shrink_to_fit()); });
}

membrane_status membrane_lower_rate(membrane_filter* filter, double fpr, uint64_t* steps) noexcept {
    return change(filter, [&](any_filter& own) {
        const auto lowered = own.lower_rate(fpr);
        if (!lowered) return fail(lowered.error());
        if (steps != nullptr) *steps = *lowered;
        return MEMBRANE_OK;
    });
}

membrane_status membrane_top(const membrane_filter* counter, uint64_t most, membrane_counted_key** keys,
                             size_t* count) noexcept {
    if (is_any_null(counter, keys, count)) return fail_null();
    return guarded([&] {
        if (counter->view->abilities().sketches == nullptr)
            return fail(MEMBRANE_NOT_SUPPORTED, "not supported by this kind: top; make a counter");
        std::vector<membrane::counted_key> top = counter->top ? counter->top->sorted() : counter->view->top();
        if (top.size() > most) top.resize(static_cast<std::size_t>(most));
        std::size_t bytes = top.size() * sizeof(membrane_counted_key);
        for (const membrane::counted_key& each : top) bytes += each.key.size() + 1;
        char* const block = static_cast<char*>(std::malloc(bytes == 0 ? 1 : bytes));
        if (block == nullptr) throw std::bad_alloc();
        auto* const entries = reinterpret_cast<membrane_counted_key*>(block);
        char* text = block + top.size() * sizeof(membrane_counted_key);
        for (std::size_t i = 0; i < top.size(); ++i) {
            std::memcpy(text, top[i].key.c_str(), top[i].key.size() + 1);
            entries[i] = {text, top[i].key.size(), top[i].key_bytes, top[i].estimate};
            text += top[i].key.size() + 1;
        }
        *keys = entries;
        *count = top.size();
        return MEMBRANE_OK;
    });
}
