// Debian's libbloom, asked with keys: the filter that a C programmer gets with apt.
#pragma once

#if defined(MEMBRANE_HAVE_LIBBLOOM)

#include <bloom.h>

#include "stopwatch.hpp"
#include "subject.hpp"

namespace bench {

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

    timings run(const key_set& members, const key_set& strangers) override {
        timings taken{};
        bloom_reset(&bloom_);
        taken[insert_one] = ns_per(members.keys.size(), [&] {
            for (const text_key& key : members.keys)
                bloom_add(&bloom_, key.data(), static_cast<int>(key.size()));
        });
        std::uint64_t present = 0;
        taken[hit_one] = ns_per(members.keys.size(), [&] { present = count(members); });
        false_negatives = members.keys.size() - present;
        taken[miss_one] = ns_per(strangers.keys.size(), [&] { false_positives = count(strangers); });
        return taken;
    }

private:
    std::uint64_t count(const key_set& asked) {
        std::uint64_t present = 0;
        for (const text_key& key : asked.keys)
            present += bloom_check(&bloom_, key.data(), static_cast<int>(key.size())) == 1 ? 1 : 0;
        return present;
    }

    double fpr_;
    bloom bloom_{};
};

}  // namespace bench

#endif
