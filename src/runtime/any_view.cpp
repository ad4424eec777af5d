#include <membrane/runtime/any_view.hpp>

#include <membrane/format/layout.hpp>

namespace membrane {

result<any_view> any_view::open(std::span<const std::byte> file, checksum payload_check) {
    const auto opened = open_view(file, registered_rules(), payload_check);
    if (!opened) return opened.error();
    any_view view;
    // Views hold a mutable pointer because owners write through them; an any_view has no call that does.
    view.bind(*find_entry(opened->spec.kind), opened->spec, opened->hash, opened->keys,
              const_cast<std::byte*>(opened->payload.data()), opened->payload.size());
    view.is_checked_ = opened->is_payload_checked;
    return view;
}

result<void> any_view::check_payload() const {
    if (is_checked_) return {};
    return ops_->check_payload(view_);
}

std::uint64_t any_view::file_bytes() const noexcept {
    return layout::header_bytes(kind_->rules.fields.size()) + payload_bytes_;
}

std::vector<counted_key> any_view::top() const {
    if (ops_->sketches == nullptr) return {};
    return ops_->sketches->top(view_)->entries();
}

file_view any_view::as_file() const noexcept {
    file_view file;
    file.kind = &kind_->rules;
    file.spec = spec_;
    file.hash = hash_;
    file.keys = keys_;
    file.format_version = layout::format_version;
    file.payload = payload();
    return file;
}

void any_view::bind(const kind_entry& kind, const filter_spec& spec, const hasher& hash, std::uint64_t keys,
                    std::byte* payload, std::uint64_t payload_bytes) {
    kind_ = &kind;
    ops_ = &kind.ops_for(spec);
    spec_ = spec;
    hash_ = hash;
    keys_ = keys;
    payload_ = payload;
    payload_bytes_ = payload_bytes;
    ops_->construct(view_, spec_, payload_);
}

}  // namespace membrane
