#include "handle.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <membrane/base/raise.hpp>
#include <membrane/kind/count_min/spec.hpp>
#include <membrane/version.hpp>

namespace membrane::c {

namespace {

// A plain array: an error is kept without memory, also that of memory.
struct last_failure {
    char text[1024] = "no call has failed";
    int number = 0;
};
thread_local last_failure last;

membrane_status status_of(errc code) {
    switch (code) {
        case errc::not_a_membrane_file: return MEMBRANE_NOT_A_MEMBRANE_FILE;
        case errc::truncated: return MEMBRANE_TRUNCATED;
        case errc::trailing_bytes: return MEMBRANE_TRAILING_BYTES;
        case errc::bad_header_checksum: return MEMBRANE_BAD_HEADER_CHECKSUM;
        case errc::bad_payload_checksum: return MEMBRANE_BAD_PAYLOAD_CHECKSUM;
        case errc::unknown_version: return MEMBRANE_UNKNOWN_VERSION;
        case errc::unknown_kind: return MEMBRANE_UNKNOWN_KIND;
        case errc::unknown_hash: return MEMBRANE_UNKNOWN_HASH;
        case errc::unknown_flag: return MEMBRANE_UNKNOWN_FLAG;
        case errc::reserved_not_zero: return MEMBRANE_RESERVED_NOT_ZERO;
        case errc::bad_field: return MEMBRANE_BAD_FIELD;
        case errc::bad_payload: return MEMBRANE_BAD_PAYLOAD;
        case errc::size_overflow: return MEMBRANE_SIZE_OVERFLOW;
        case errc::too_large: return MEMBRANE_TOO_LARGE;
        case errc::out_of_memory: return MEMBRANE_OUT_OF_MEMORY;
        case errc::spec_mismatch: return MEMBRANE_SPEC_MISMATCH;
        case errc::not_supported: return MEMBRANE_NOT_SUPPORTED;
        case errc::full: return MEMBRANE_FULL;
        case errc::counter_overflow: return MEMBRANE_COUNTER_OVERFLOW;
        case errc::io_error: return MEMBRANE_IO_ERROR;
        case errc::already_exists: return MEMBRANE_ALREADY_EXISTS;
    }
    return MEMBRANE_INTERNAL;
}

}  // namespace

membrane_status fail(membrane_status status, std::string_view text, int number) noexcept {
    std::size_t length = std::min(text.size(), sizeof last.text - 1);
    // Not in the middle of a character of UTF-8, as a path may have them.
    if (length < text.size())
        while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
    std::memcpy(last.text, text.data(), length);
    last.text[length] = 0;
    last.number = number;
    return status;
}

membrane_status fail(const error& problem, std::string_view subject) noexcept {
    int number = 0;
    if (problem.code == errc::io_error) number = static_cast<int>(problem.found.value_or(EIO));
    if (problem.code == errc::already_exists) number = EEXIST;
    try {
        const std::string sentence = describe(problem);
        return fail(status_of(problem.code),
                    subject.empty() ? sentence : std::string(subject).append(": ").append(sentence), number);
    } catch (...) {
        return fail(status_of(problem.code), meaning(problem.code), number);
    }
}

membrane_status fail_null() noexcept {
    return fail(MEMBRANE_BAD_ARGUMENT, "a pointer that the call needs is NULL");
}

membrane_status fail_read_only() noexcept {
    return fail(MEMBRANE_READ_ONLY, "a mapped filter cannot be changed; copy it first");
}

membrane_status fail_caught() noexcept {
    try {
        throw;
    } catch (const filter_error& problem) {
        return fail(problem.error());
    } catch (const std::bad_alloc&) {
        return fail(MEMBRANE_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception& problem) {
        return fail(MEMBRANE_INTERNAL, problem.what());
    } catch (...) {
        return fail(MEMBRANE_INTERNAL, "an unknown exception");
    }
}

void* copy_for_caller(const void* bytes, std::size_t length) {
    char* const copy = static_cast<char*>(std::malloc(length + 1));
    if (copy == nullptr) throw std::bad_alloc();
    if (length != 0) std::memcpy(copy, bytes, length);
    copy[length] = 0;
    return copy;
}

membrane_status hand_over(const result<std::vector<std::byte>>& outcome, void** bytes, std::size_t* length) {
    if (!outcome) return fail(outcome.error());
    *bytes = copy_for_caller(outcome->data(), outcome->size());
    *length = outcome->size();
    return MEMBRANE_OK;
}

most_counted::most_counted(const any_view& sketch)
    : keys_(sketch.spec()[count_min_field::top_slots], sketch.spec()[count_min_field::top_key_bytes]) {
    for (const counted_key& entry : sketch.top()) keys_.offer(entry);
}

void most_counted::write_to(any_filter& sketch) {
    const std::lock_guard hold(writing_);
    if (is_written_) return;
    sketch.set_top(keys_.sorted());
    is_written_ = true;
}

}  // namespace membrane::c

namespace {

bool counts_with_list(const membrane::any_view& view) {
    return view.spec().kind == membrane::kind_id::count_min &&
           view.spec()[membrane::count_min_field::top_slots] != 0;
}

}  // namespace

membrane_filter::membrane_filter(membrane::filter&& made) : held(std::move(made)) {
    own = &std::get<membrane::filter>(held).engine();
    view = own;
    if (counts_with_list(*view)) top = std::make_unique<membrane::c::most_counted>(*view);
}

membrane_filter::membrane_filter(membrane::mapped_filter&& mapped, std::string file)
    : held(std::move(mapped)), path(std::move(file)) {
    view = &std::get<membrane::mapped_filter>(held).view();
}

const membrane::any_view& membrane_filter::complete_view() const {
    if (top) top->write_to(*own);
    return *view;
}

using namespace membrane::c;

const char* membrane_last_error(void) noexcept { return last.text; }
int membrane_last_errno(void) noexcept { return last.number; }
const char* membrane_version(void) noexcept { return membrane::version_string; }
void membrane_free(void* memory) noexcept { std::free(memory); }
void membrane_close(membrane_filter* filter) noexcept { delete filter; }
