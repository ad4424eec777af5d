// gzip by zlib and zstd by libzstd, of the system. Both may consist of several streams one after the other, as `cat a.gz b.gz` makes
// them.
#include <algorithm>
#include <climits>
#include <cstring>
#include <string_view>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <fmt/core.h>

#include "byte_stream.hpp"
#include "cli/print/failure.hpp"

namespace membrane::cli {

namespace {

[[noreturn]] void fail_damaged(const std::string& name, std::string_view format, std::string_view what) {
    fail(exit_code::bad_data,
         fmt::format("{}: damaged {} data ({}); fetch the file again", name, format, what));
}

class gzip_decompressor final : public decompressor {
public:
    gzip_decompressor() {
        constexpr int gzip_only = 16;
        if (::inflateInit2(&state_, MAX_WBITS + gzip_only) != Z_OK)
            fail(exit_code::io, "out of memory for unpacking gzip");
    }
    gzip_decompressor(const gzip_decompressor&) = delete;
    gzip_decompressor& operator=(const gzip_decompressor&) = delete;
    ~gzip_decompressor() override { ::inflateEnd(&state_); }

    progress unpack(const char* from, std::size_t size, char* to, std::size_t room,
                    const std::string& name) override {
        const std::size_t given = std::min<std::size_t>(size, UINT_MAX);
        if (is_between_) {
            // Zeros may follow the last stream: tapes and block devices are padded with them.
            const auto* const next = std::find_if(from, from + given, [](char byte) { return byte != '\0'; });
            const auto zeros = static_cast<std::size_t>(next - from);
            if (zeros != 0 || given == 0) return {zeros, 0};
            ::inflateReset(&state_);
            is_between_ = false;
        }
        state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from));
        state_.avail_in = static_cast<uInt>(given);
        const std::size_t wanted = std::min<std::size_t>(room, UINT_MAX);
        state_.next_out = reinterpret_cast<Bytef*>(to);
        state_.avail_out = static_cast<uInt>(wanted);
        const int outcome = ::inflate(&state_, Z_NO_FLUSH);
        if (outcome == Z_STREAM_END) is_between_ = true;
        else if (outcome != Z_OK && outcome != Z_BUF_ERROR)
            fail_damaged(name, "gzip", state_.msg == nullptr ? "not a stream" : state_.msg);
        return {given - state_.avail_in, wanted - state_.avail_out};
    }
    bool is_whole() const override { return is_between_; }

private:
    z_stream state_{};
    bool is_between_ = false;  // behind one stream and before the next
};

class zstd_decompressor final : public decompressor {
public:
    zstd_decompressor() : state_(::ZSTD_createDStream()) {
        if (state_ == nullptr) fail(exit_code::io, "out of memory for unpacking zstd");
    }
    zstd_decompressor(const zstd_decompressor&) = delete;
    zstd_decompressor& operator=(const zstd_decompressor&) = delete;
    ~zstd_decompressor() override { ::ZSTD_freeDStream(state_); }

    progress unpack(const char* from, std::size_t size, char* to, std::size_t room,
                    const std::string& name) override {
        ZSTD_inBuffer in{from, size, 0};
        ZSTD_outBuffer made{to, room, 0};
        const std::size_t outcome = ::ZSTD_decompressStream(state_, &made, &in);
        if (::ZSTD_isError(outcome) != 0) {
            if (::ZSTD_getErrorCode(outcome) == ZSTD_error_dictionary_wrong)
                fail(exit_code::bad_data,
                     fmt::format("{}: was compressed by zstd with a dictionary, which only "
                                 "its maker has; unpack it first: `zstd -dc -D "
                                 "DICTIONARY ... | membrane ... -`",
                                 name));
            fail_damaged(name, "zstd", ::ZSTD_getErrorName(outcome));
        }
        // At the end of a frame the outcome is 0; asked again without more input it is the size of the next header.
        if (in.pos != 0 || made.pos != 0) is_whole_ = outcome == 0;
        return {in.pos, made.pos};
    }
    bool is_whole() const override { return is_whole_; }

private:
    ZSTD_DStream* state_;
    bool is_whole_ = false;
};

}  // namespace

std::unique_ptr<decompressor> decompressor_for(const char* start, std::size_t size) {
    const std::string_view bytes(start, size);
    if (bytes.starts_with("\x1f\x8b")) return std::make_unique<gzip_decompressor>();
    if (bytes.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<zstd_decompressor>();
    return nullptr;
}

}  // namespace membrane::cli
