// A filter of ours behind the run-time handle, asked with hashes (net of hashing) or with keys (gross).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <membrane/runtime/any_filter.hpp>

#include "stopwatch.hpp"
#include "subject.hpp"

namespace bench {

enum class asked_with : bool { hashes, keys };

class membrane_subject : public subject {
public:
    membrane_subject(std::string name, membrane::any_filter filter, std::uint64_t keys, asked_with how)
        : name_(std::move(name)), filter_(std::move(filter)), keys_(keys), how_(how) {}

    std::string name() const override { return name_; }
    double size_bytes() const override { return static_cast<double>(filter_.size_bytes()); }
    double predicted_fpr() const override { return filter_.kind().plan.predicted_fpr(filter_.spec(), keys_); }

    timings run(const key_set& members, const key_set& strangers) override {
        timings taken{};
        if (how_ == asked_with::keys) {
            filter_.clear();
            taken[insert_one] = ns_per(members.keys.size(), [&] {
                for (const text_key& key : members.keys) filter_.insert(text_of(key));
            });
            std::uint64_t present = 0;
            taken[hit_one] = ns_per(members.keys.size(), [&] { present = count_keys(members); });
            false_negatives = members.keys.size() - present;
            taken[miss_one] = ns_per(strangers.keys.size(), [&] { false_positives = count_keys(strangers); });
            taken[hit_batch] = ns_per(members.keys.size(), [&] { keep(count_keys_in_batches(members)); });
            taken[miss_batch] =
                ns_per(strangers.keys.size(), [&] { keep(count_keys_in_batches(strangers)); });
            return taken;
        }
        filter_.clear();
        taken[insert_one] = ns_per(members.hashes.size(), [&] {
            for (const membrane::key_hash hash : members.hashes) filter_.insert(hash);
        });
        filter_.clear();
        taken[insert_batch] = ns_per(members.hashes.size(), [&] { filter_.insert_many(members.hashes); });
        std::uint64_t present = 0;
        taken[hit_one] = ns_per(members.hashes.size(), [&] { present = count_one_by_one(members); });
        false_negatives = members.hashes.size() - present;
        taken[miss_one] =
            ns_per(strangers.hashes.size(), [&] { false_positives = count_one_by_one(strangers); });
        taken[hit_batch] = ns_per(members.hashes.size(), [&] { keep(count_in_batches(members)); });
        taken[miss_batch] = ns_per(strangers.hashes.size(), [&] { keep(count_in_batches(strangers)); });
        return taken;
    }

private:
    static std::string_view text_of(const text_key& key) { return {key.data(), key.size()}; }

    std::uint64_t count_keys(const key_set& asked) const {
        std::uint64_t present = 0;
        for (const text_key& key : asked.keys) present += filter_.may_contain(text_of(key)) ? 1 : 0;
        return present;
    }
    std::uint64_t count_keys_in_batches(const key_set& asked) const {
        constexpr std::size_t batch = 1024;
        std::string_view texts[batch];
        std::uint64_t answers[batch / 64];
        std::uint64_t present = 0;
        for (std::size_t first = 0; first < asked.keys.size(); first += batch) {
            const std::size_t now = std::min(batch, asked.keys.size() - first);
            for (std::size_t i = 0; i < now; ++i) texts[i] = text_of(asked.keys[first + i]);
            present += filter_.may_contain_many(std::span<const std::string_view>(texts, now), answers);
        }
        return present;
    }
    std::uint64_t count_one_by_one(const key_set& asked) const {
        std::uint64_t present = 0;
        for (const membrane::key_hash hash : asked.hashes) present += filter_.may_contain(hash) ? 1 : 0;
        return present;
    }
    std::uint64_t count_in_batches(const key_set& asked) const {
        constexpr std::size_t batch = 4096;
        std::uint64_t answers[batch / 64];
        std::uint64_t present = 0;
        for (std::span<const membrane::key_hash> left = asked.hashes; !left.empty();) {
            const auto now = left.first(std::min(batch, left.size()));
            present += filter_.may_contain_many(now, answers);
            left = left.subspan(now.size());
        }
        return present;
    }

    std::string name_;
    membrane::any_filter filter_;
    std::uint64_t keys_;
    asked_with how_;
};

}  // namespace bench
