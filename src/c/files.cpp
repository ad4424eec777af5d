// Files, bytes, packed forms and patches.
#include <membrane/format/encode.hpp>
#include <membrane/runtime/number_files.hpp>
#include <membrane/runtime/save.hpp>

#include "handle.hpp"

namespace membrane::c {

namespace {

std::span<const std::byte> bytes_from(const void* bytes, std::size_t length) {
    return {static_cast<const std::byte*>(bytes), length};
}

std::uint64_t limit_of(std::uint64_t max_bytes) { return max_bytes == 0 ? no_byte_limit : max_bytes; }

}  // namespace

}  // namespace membrane::c

using namespace membrane::c;
using membrane::any_filter;

membrane_status membrane_open(const char* path, membrane_filter** made) noexcept {
    if (is_any_null(path, made)) return fail_null();
    return guarded([&] { return hand_over(membrane::filter::try_load(path), made, path); });
}

membrane_status membrane_map(const char* path, bool checks_payload, membrane_filter** made) noexcept {
    if (is_any_null(path, made)) return fail_null();
    return guarded([&] {
        using membrane::checksum;
        auto mapped =
            membrane::mapped_filter::try_open(path, checks_payload ? checksum::verify : checksum::trust);
        if (!mapped) return fail(mapped.error(), path);
        *made = new membrane_filter(std::move(*mapped), path);
        return MEMBRANE_OK;
    });
}

membrane_status membrane_save(const membrane_filter* filter, const char* path, bool replaces) noexcept {
    if (is_any_null(filter, path)) return fail_null();
    return guarded([&] {
        using membrane::existing;
        const auto saved =
            membrane::save(filter->complete_view(), path, replaces ? existing::replace : existing::keep);
        return saved ? MEMBRANE_OK : fail(saved.error(), path);
    });
}

membrane_status membrane_to_bytes(const membrane_filter* filter, void** bytes, size_t* length) noexcept {
    if (is_any_null(filter, bytes, length)) return fail_null();
    return guarded([&] {
        const membrane::any_view& view = filter->complete_view();
        if (filter->own != nullptr)
            return hand_over(std::get<membrane::filter>(filter->held).try_to_bytes(), bytes, length);
        return hand_over(membrane::encode_file(view.as_file()), bytes, length);
    });
}

membrane_status membrane_from_bytes(const void* bytes, size_t length, membrane_filter** made) noexcept {
    if (is_any_null(bytes, made)) return fail_null();
    return guarded([&] { return hand_over(any_filter::open_copy(bytes_from(bytes, length)), made); });
}

membrane_status membrane_pack(const membrane_filter* filter, void** bytes, size_t* length) noexcept {
    if (is_any_null(filter, bytes, length)) return fail_null();
    return guarded([&] { return hand_over(filter->complete_view().pack(), bytes, length); });
}

membrane_status membrane_unpack(const void* bytes, size_t length, uint64_t max_bytes,
                                membrane_filter** made) noexcept {
    if (is_any_null(bytes, made)) return fail_null();
    return guarded(
        [&] { return hand_over(any_filter::unpack(bytes_from(bytes, length), limit_of(max_bytes)), made); });
}

membrane_status membrane_diff(const membrane_filter* older, const membrane_filter* newer, void** patch,
                              size_t* length) noexcept {
    if (is_any_null(older, newer, patch, length)) return fail_null();
    return guarded([&] { return hand_over(membrane::diff(*older->view, *newer->view), patch, length); });
}

membrane_status membrane_patch(const membrane_filter* older, const void* patch, size_t length,
                               uint64_t max_bytes, membrane_filter** made) noexcept {
    if (is_any_null(older, patch, made)) return fail_null();
    return guarded([&] {
        return hand_over(membrane::patched(*older->view, bytes_from(patch, length), limit_of(max_bytes)),
                         made);
    });
}
