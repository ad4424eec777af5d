#include <membrane/filter/filter.hpp>

#include <algorithm>
#include <new>

#include <membrane/format/encode.hpp>
#include <membrane/kind/balanced_rank/sizing.hpp>
#include <membrane/runtime/kind_text.hpp>
#include <membrane/runtime/mapped_file.hpp>
#include <membrane/runtime/number_files.hpp>
#include <membrane/runtime/planner.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane {

namespace {

// What has its bytes at hand is used as it is; a copy of what grows, or was moved from.
template <class Use>
auto with_payload(const any_view& filter, const Use& use) -> decltype(use(filter)) {
    if (filter.payload().data() != nullptr) return use(filter);
    const auto copy = any_filter::copy_of(filter);
    if (!copy) return copy.error();
    return use(*copy);
}

result<bool> have_equal_numbers(const any_view& a, const any_view& b) {
    const auto left = a.numbers(), right = b.numbers();
    if (!left) return left.error();
    if (!right) return right.error();
    for (;;) {
        const auto x = (*left)->next(), y = (*right)->next();
        if (x != y) return false;
        if (!x) return true;
    }
}

result<bool> are_equal(const any_view& a, const any_view& b) {
    if (a.spec().kind != b.spec().kind || a.hash() != b.hash() || a.universe() != b.universe()) return false;
    if (a.universe() != 0) {
        const bool alike = a.abilities().grows->is_multiset == b.abilities().grows->is_multiset;
        return alike ? have_equal_numbers(a, b) : result<bool>(false);
    }
    if (a.spec().fields != b.spec().fields) return false;
    return with_payload(a, [&](const any_view& left) {
        return with_payload(b, [&](const any_view& right) -> result<bool> {
            return std::ranges::equal(left.payload(), right.payload());
        });
    });
}

std::string_view all_kinds() {
    static const std::string text = [] {
        std::string names;
        for (const kind_entry& each : registry())
            names.append(names.empty() ? "there are " : ", ").append(each.rules.name);
        return names;
    }();
    return text;
}
std::string_view parameters_of(const kind_entry& kind) {
    // Errors hold texts that stay.
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> made;
        for (const kind_entry& each : registry()) {
            std::string& text = made.emplace_back(each.rules.name).append(" has the parameters");
            for (const field_rule& rule : each.rules.fields)
                text.append(&rule == each.rules.fields.data() ? " " : ", ").append(rule.name);
        }
        return made;
    }();
    return texts[static_cast<std::size_t>(&kind - registry().data())];
}

result<void> check_kind_text(const kind_reading& read) {
    switch (read.fault) {
        case kind_text_fault::none: break;
        case kind_text_fault::unknown_kind:
            return make_error(errc::unknown_kind, "kind").with_note(all_kinds());
        case kind_text_fault::unknown_field:
            return make_error(errc::bad_field, "parameter of the kind").with_note(parameters_of(*read.kind));
        case kind_text_fault::bad_value:
            return make_error(errc::bad_field, read.rule->name)
                .with_range(read.rule->least, read.rule->most)
                .with_note("`membrane kinds` lists the values of each parameter");
    }
    return {};
}

}  // namespace

result<filter> filter::try_create(const filter_spec& spec, const filter_options& options) {
    if (find_entry(spec.kind) != nullptr) {
        plan::requirement wanted;
        wanted.needs.erase = options.erasable;
        if (auto checked = check_needs(spec, wanted); !checked) return checked.error();
    }
    const auto hash = options.hash ? result<hasher>(*options.hash) : random_hasher();
    if (!hash) return hash.error();
    auto engine = any_filter::create(spec, *hash, options.max_bytes);
    if (!engine) return engine.error();
    return filter(std::move(*engine));
}

result<filter> filter::try_create(const plan::requirement& wanted, const filter_options& options) {
    plan::requirement all = wanted;
    all.needs.erase = all.needs.erase || options.erasable;
    all.is_fixed = all.is_fixed || options.fixed;
    all.grow_to = std::max(all.grow_to, options.grow_to);
    const auto chosen = choose(nullptr, {}, all);
    if (!chosen) return chosen.error();
    return try_create(chosen->spec, options);
}

// The layout of a filter that grows is found in microseconds, for which the planner takes a tenth of a second.
result<filter> filter::create(std::uint64_t keys, double fpr, const filter_options& options) {
    if (options.fixed) return try_create(plan::requirement{.keys = keys, .fpr = fpr}, options);
    const auto spec = balanced_rank_numbers_spec_for(
        options.erasable ? balanced_rank_form::erasable : balanced_rank_form::growable, keys, fpr,
        options.grow_to);
    if (!spec) return spec.error();
    return try_create(*spec, options);
}

result<filter> filter::create_of_kind(std::string_view kind, std::uint64_t keys, double fpr,
                                      const filter_options& options) {
    const kind_reading read = read_kind_text(kind, read_plain_number);
    if (auto checked = check_kind_text(read); !checked) return checked.error();
    plan::requirement wanted{.keys = keys, .fpr = fpr, .grow_to = options.grow_to};
    wanted.needs.erase = options.erasable;
    wanted.is_fixed = options.fixed;
    const auto chosen = choose(read.kind, read.given, wanted);
    if (!chosen) return chosen.error();
    if (auto checked = check_needs(chosen->spec, wanted); !checked) return checked.error();
    return try_create(chosen->spec, options);
}

result<filter> filter::try_copy() const {
    auto engine = any_filter::copy_of(engine_);
    if (!engine) return engine.error();
    filter made(std::move(*engine));
    if (engine_.universe() != 0) static_cast<void>(made.engine_.set_growth(engine_.growth()));
    return made;
}
filter::filter(const filter& other) : filter(value_or_raise(other.try_copy())) {}
filter& filter::operator=(const filter& other) {
    if (this != &other) *this = value_or_raise(other.try_copy());
    return *this;
}

result<comparison> filter::try_compare(const any_view& other) const {
    return membrane::compare(engine_, other);
}
result<std::vector<std::byte>> filter::try_diff(const any_view& older) const {
    return with_payload(older, [&](const any_view& from) { return membrane::diff(from, engine_); });
}
result<filter> filter::try_patched(std::span<const std::byte> patch) const {
    return with_payload(engine_, [&](const any_view& older) -> result<filter> {
        auto made = membrane::patched(older, patch);
        if (!made) return made.error();
        return filter(std::move(*made));
    });
}
result<filter> filter::try_unpack(std::span<const std::byte> packed) {
    auto made = any_filter::unpack(packed);
    if (!made) return made.error();
    return filter(std::move(*made));
}

bool filter::is_equal(const filter& other) const { return value_or_raise(are_equal(engine_, other.engine_)); }

result<std::vector<std::byte>> filter::try_to_bytes() const {
    try {
        return with_payload(engine_, [](const any_view& each) -> result<std::vector<std::byte>> {
            return encode_file(each.as_file());
        });
    } catch (const std::bad_alloc&) {
        return make_error(errc::out_of_memory, "bytes of the file");
    }
}

result<filter> filter::try_from_bytes(std::span<const std::byte> file) {
    auto engine = any_filter::open_copy(file);
    if (!engine) return engine.error();
    return filter(std::move(*engine));
}

result<filter> filter::try_load(const std::string& path) {
    const auto file = mapped_file::open(path);
    if (!file) return file.error();
    return try_from_bytes(file->bytes());
}

}  // namespace membrane
