// A filter of ours behind the run-time handle, asked with hashes (net of hashing) or with keys (gross).
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <membrane/runtime/any_filter.hpp>
#include <membrane/runtime/builder.hpp>

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

    void fill(std::uint64_t keys, timings& taken) override {
        if (membrane::chooses_together(filter_.spec())) {
            if (filter_.keys() == 0) choose_together(keys, taken);
            return;
        }
        filter_.clear();
        stopwatch batched, one, erasing;
        for_each_chunk(0, nine_tenths(keys), filter_.hash(), [&](const key_set& chunk) {
            if (how_ == asked_with::keys)
                in_batches(chunk, [&](std::span<const std::string_view> texts) {
                    batched.time(texts.size(), [&] { filter_.insert_many(texts); });
                });
            else batched.time(chunk.size(), [&] { filter_.insert_many(chunk.hashes); });
        });
        for_each_chunk(nine_tenths(keys), keys, filter_.hash(),
                       [&](const key_set& chunk) { one.time(chunk.size(), [&] { insert_each(chunk); }); });
        if (membrane::capabilities_of(filter_.spec()).erase) {
            for_each_chunk(nine_tenths(keys), keys, filter_.hash(), [&](const key_set& chunk) {
                erasing.time(chunk.size(), [&] {
                    for (const membrane::key_hash hash : chunk.hashes) keep(*filter_.erase(hash));
                });
                filter_.insert_many(chunk.hashes);
            });
            taken[erase_one] = erasing.ns_per_operation();
        }
        taken[insert_batch] = batched.ns_per_operation();
        taken[insert_one] = one.ns_per_operation();
    }

    void ask(const asked_keys& asked, timings& taken) override {
        const key_set &members = asked.members, &strangers = asked.strangers;
        std::uint64_t present = 0;
        taken[hit_one] = ns_per(members.size(), [&] { present = count_one_by_one(members); });
        false_negatives = members.size() - present;
        taken[miss_one] = ns_per(strangers.size(), [&] { false_positives = count_one_by_one(strangers); });
        taken[hit_batch] =
            ns_per(members.size(), [&] { keep(count_in_batches(members, 0, members.size())); });
        taken[miss_batch] =
            ns_per(strangers.size(), [&] { keep(count_in_batches(strangers, 0, strangers.size())); });
        taken[miss_batch_two_threads] = ns_per(strangers.size(), [&] {
            const std::size_t half = strangers.size() / 2;
            std::thread other([&] { keep(count_in_batches(strangers, 0, half)); });
            keep(count_in_batches(strangers, half, strangers.size()));
            other.join();
        });
    }

private:
    static constexpr std::size_t batch = 1024;

    // Once: many rounds take seconds.
    void choose_together(std::uint64_t keys, timings& taken) {
        std::vector<membrane::key_hash> all;
        all.reserve(keys);
        for_each_chunk(0, keys, filter_.hash(), [&](const key_set& chunk) {
            all.insert(all.end(), chunk.hashes.begin(), chunk.hashes.end());
        });
        taken[insert_batch] = ns_per(keys, [&] { keep(filter_.choose_together(all, {}).has_value()); });
    }

    template <class Use>
    static void in_batches(const key_set& chunk, Use&& use) {
        std::string_view texts[batch];
        for (std::size_t first = 0; first < chunk.size(); first += batch) {
            const std::size_t now = std::min(batch, chunk.size() - first);
            for (std::size_t i = 0; i < now; ++i) texts[i] = text_of(chunk.keys[first + i]);
            use(std::span<const std::string_view>(texts, now));
        }
    }

    void insert_each(const key_set& chunk) {
        if (how_ == asked_with::keys)
            for (const text_key& key : chunk.keys) filter_.insert(text_of(key));
        else
            for (const membrane::key_hash hash : chunk.hashes) filter_.insert(hash);
    }

    std::uint64_t count_one_by_one(const key_set& asked) const {
        std::uint64_t present = 0;
        if (how_ == asked_with::keys)
            for (const text_key& key : asked.keys) present += filter_.may_contain(text_of(key)) ? 1 : 0;
        else
            for (const membrane::key_hash hash : asked.hashes) present += filter_.may_contain(hash) ? 1 : 0;
        return present;
    }
    std::uint64_t count_in_batches(const key_set& asked, std::size_t first, std::size_t last) const {
        std::uint64_t answers[batch / 64];
        std::string_view texts[batch];
        std::uint64_t present = 0;
        for (; first < last; first += batch) {
            const std::size_t now = std::min(batch, last - first);
            if (how_ == asked_with::hashes) {
                present += filter_.may_contain_many(
                    std::span<const membrane::key_hash>(asked.hashes).subspan(first, now), answers);
                continue;
            }
            for (std::size_t i = 0; i < now; ++i) texts[i] = text_of(asked.keys[first + i]);
            present += filter_.may_contain_many(std::span<const std::string_view>(texts, now), answers);
        }
        return present;
    }

    std::string name_;
    membrane::any_filter filter_;
    std::uint64_t keys_;
    asked_with how_;
};

}  // namespace bench
