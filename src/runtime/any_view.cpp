#include <membrane/runtime/any_view.hpp>

#include <algorithm>

#include <membrane/format/encode.hpp>
#include <membrane/format/layout.hpp>
#include <membrane/format/packed.hpp>
#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/number_files.hpp>
#include <membrane/runtime/registry.hpp>

namespace membrane {

result<any_view> any_view::open(std::span<const std::byte> file, checksum payload_check) {
    const auto decoded = open_view(file, registered_rules(), payload_check);
    if (!decoded) return decoded.error();
    return over(*decoded, entry_of(*decoded->kind), payload_check);
}

result<any_view> any_view::over(const file_view& decoded, const kind_entry& kind, checksum payload_check) {
    any_view view;
    // Views hold a mutable pointer because any_filter writes through them; any_view has no call that writes.
    view.bind(kind, decoded.spec, decoded.hash, decoded.keys, const_cast<std::byte*>(decoded.payload.data()),
              decoded.payload.size());
    view.labels_ = decoded.labels;
    view.is_payload_checked_ =
        payload_check == checksum::verify || !view.ops_->lookups_are_safe_on_any_payload;
    if (!view.is_payload_checked_) return view;
    if (auto checked = view.ops_->check_payload(view.view_); !checked) {
        error problem = checked.error();
        return problem.at_offset(view.file_bytes() - view.size_bytes());
    }
    return view;
}

result<void> any_view::check_payload() const {
    if (is_payload_checked_) return {};
    return ops_->check_payload(view_);
}

namespace {

// Of a filter that was moved from.
class no_numbers final : public number_source {
public:
    std::optional<counted_number> next() override { return std::nullopt; }
};

}  // namespace

result<std::unique_ptr<number_source>> any_view::numbers() const {
    if (growing_ != nullptr) return growing_->numbers();
    if (abilities().grows == nullptr) return unsupported("numbers");
    if (!has_memory()) return std::unique_ptr<number_source>(std::make_unique<no_numbers>());
    if (auto checked = check_payload(); !checked) return checked.error();
    return ops_->grows->numbers(view_);
}

result<std::vector<std::byte>> any_view::pack() const {
    if (!has_memory()) {
        const auto copy = any_filter::copy_of(*this);
        return copy ? copy->pack() : copy.error();
    }
    if (ops_->grows != nullptr) return pack_numbers(*this);
    if (ops_->packs == nullptr) return unsupported("pack");
    if (auto checked = check_payload(); !checked) return checked.error();
    auto packed = aligned_buffer::zeroed(ops_->packs->bytes(view_));
    if (!packed) return packed.error();
    ops_->packs->pack(view_, packed->data());
    // Unpacking may order entries anew; the header describes the filter that unpacking makes.
    const auto again = any_filter::unpacked(*kind_, spec_, hash_, keys_, packed->bytes(), no_byte_limit);
    if (!again) return again.error();
    file_view described = again->as_file();
    described.labels = labels_;
    return encode_packed(encode_header(described, payload_checksum(again->payload())), packed->bytes());
}

std::uint64_t any_view::file_bytes() const noexcept {
    const std::size_t labels = labels_.empty() ? 0 : layout::section_bytes(labels_.text().size());
    return layout::header_bytes(kind_->rules.fields.size(), labels) + payload_bytes_;
}

std::uint64_t any_view::promised_keys() const noexcept {
    if (abilities().grows == nullptr) return spec_.planned_keys;
    // A quotient of a number of keys and the universe is not always a number of floating point.
    constexpr double rounding = 1e-12;
    return static_cast<std::uint64_t>(static_cast<double>(universe()) * spec_.planned_fpr * (1 + rounding));
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
    file.labels = labels_;
    return file;
}

namespace {

// The operations of a filter that was moved from: it is empty, and has no memory.
constexpr kind_ops ops_after_move{
    .payload_bytes = nullptr,
    .construct = nullptr,
    .check_payload = [](const void*) -> result<void> { return {}; },
    .insert = [](void*, key_hash) { return false; },
    .insert_many = [](void*, std::span<const key_hash>) { return std::size_t{0}; },
    .insert_all = [](void*, const hash_batches&, unsigned) { return false; },
    .may_contain = [](const void*, key_hash) { return false; },
    .may_contain_many =
        [](const void*, std::span<const key_hash> hashes, std::span<std::uint64_t> answers) {
            std::fill_n(answers.begin(), bitmap_words(hashes.size()), 0);
            return std::size_t{0};
        },
    .fill = [](const void*) { return 0.0; },
    .estimated_size = [](const void*) { return 0.0; },
    .estimated_fpr_now = [](const void*) { return 0.0; },
};

}  // namespace

void any_view::become_empty() noexcept {
    ops_ = &ops_after_move;
    keys_ = 0;
    payload_ = nullptr;
    payload_bytes_ = 0;
    growing_ = nullptr;
    is_payload_checked_ = true;
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
