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

    void fill(std::uint64_t keys, timings& taken) override {
        bloom_reset(&bloom_);
        stopwatch one;
        for_each_chunk(0, keys, {}, [&](const key_set& chunk) {
            one.time(chunk.size(), [&] {
                for (const text_key& key : chunk.keys)
                    bloom_add(&bloom_, key.data(), static_cast<int>(key.size()));
            });
        });
        taken[insert_one] = one.ns_per_operation();
    }

    void ask(const asked_keys& asked, timings& taken) override {
        std::uint64_t present = 0;
        taken[hit_one] = ns_per(asked.members.size(), [&] { present = count(asked.members); });
        false_negatives = asked.members.size() - present;
        taken[miss_one] = ns_per(asked.strangers.size(), [&] { false_positives = count(asked.strangers); });
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
