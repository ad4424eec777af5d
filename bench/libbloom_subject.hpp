// Debian's libbloom with keys: the filter that a C programmer gets with apt.
#pragma once

#if defined(MEMBRANE_HAVE_LIBBLOOM)

#include <bloom.h>

#include "timing/subject.hpp"

namespace bench {

using namespace membrane::timing;

class libbloom_subject : public subject {
public:
    libbloom_subject(std::uint64_t keys, double fpr) : fpr_(fpr) {
        bloom_init(&bloom_, static_cast<int>(keys), fpr);
    }
    libbloom_subject(const libbloom_subject&) = delete;
    libbloom_subject& operator=(const libbloom_subject&) = delete;
    ~libbloom_subject() override { bloom_free(&bloom_); }

    std::string name() const override { return "libbloom (keys)"; }
    double size_bytes() const override { return bloom_.bytes; }
    double predicted_fpr() const override { return fpr_; }

    bool can(column which) const override {
        return which == insert_one || which == hit_one || which == miss_one;
    }
    void clear() override { bloom_reset(&bloom_); }

    std::uint64_t perform(column which, const key_set& keys) override {
        std::uint64_t present = 0;
        for (const std::string_view key : keys.texts()) {
            const int length = static_cast<int>(key.size());
            if (which == insert_one) bloom_add(&bloom_, key.data(), length);
            else present += bloom_check(&bloom_, key.data(), length) == 1 ? 1 : 0;
        }
        return present;
    }

private:
    double fpr_;
    bloom bloom_{};
};

}  // namespace bench

#endif
