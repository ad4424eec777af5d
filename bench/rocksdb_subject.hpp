// Debian's RocksDB filters, asked with keys: cache-local Bloom and Ribbon. They are built once from all keys and can take
// no more. Its public headers only name the two classes that do the work; what stands here is their order of virtual
// functions in version 7.8, which the build checks.
#pragma once

#if defined(MEMBRANE_HAVE_ROCKSDB)

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include "stopwatch.hpp"
#include "subject.hpp"

static_assert(ROCKSDB_MAJOR == 7 && ROCKSDB_MINOR == 8, "the virtual functions below are those of 7.8");

namespace rocksdb {

class FilterBitsBuilder {
public:
    virtual ~FilterBitsBuilder() = default;
    virtual void AddKey(const Slice& key) = 0;
    virtual size_t EstimateEntriesAdded() = 0;
    virtual Slice Finish(std::unique_ptr<const char[]>* buffer) = 0;
    virtual Slice Finish(std::unique_ptr<const char[]>* buffer, Status* status) = 0;
    virtual Status MaybePostVerify(const Slice& contents) = 0;
    virtual size_t ApproximateNumEntries(size_t bytes) = 0;
};

class FilterBitsReader {
public:
    virtual ~FilterBitsReader() = default;
    virtual bool MayMatch(const Slice& key) = 0;
    virtual void MayMatch(int count, Slice** keys, bool* answers) = 0;
};

}  // namespace rocksdb

namespace bench {

class rocksdb_subject : public subject {
public:
    rocksdb_subject(std::string name, const rocksdb::FilterPolicy* policy, double fpr)
        : name_(std::move(name)), policy_(policy), fpr_(fpr) {}

    std::string name() const override { return name_; }
    double size_bytes() const override { return static_cast<double>(contents_.size()); }
    double predicted_fpr() const override { return fpr_; }

    void fill(std::uint64_t keys, timings& taken) override {
        reader_.reset();
        buffer_.reset();
        const rocksdb::BlockBasedTableOptions options;
        const rocksdb::FilterBuildingContext context(options);
        const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(policy_->GetBuilderWithContext(context));
        stopwatch building;
        for_each_chunk(0, keys, {}, [&](const key_set& chunk) {
            building.time(chunk.size(), [&] {
                for (const text_key& key : chunk.keys) builder->AddKey({key.data(), key.size()});
            });
        });
        building.time(0, [&] { contents_ = builder->Finish(&buffer_); });
        reader_.reset(policy_->GetFilterBitsReader(contents_));
        taken[insert_batch] = building.ns_per_operation();
    }

    void ask(const asked_keys& asked, timings& taken) override {
        std::uint64_t present = 0;
        taken[hit_one] = ns_per(asked.members.size(), [&] { present = count(asked.members); });
        false_negatives = asked.members.size() - present;
        taken[miss_one] = ns_per(asked.strangers.size(), [&] { false_positives = count(asked.strangers); });
        taken[hit_batch] = ns_per(asked.members.size(), [&] { keep(count_in_batches(asked.members)); });
        taken[miss_batch] = ns_per(asked.strangers.size(), [&] { keep(count_in_batches(asked.strangers)); });
    }

private:
    std::uint64_t count(const key_set& asked) const {
        std::uint64_t present = 0;
        for (const text_key& key : asked.keys)
            present += reader_->MayMatch(rocksdb::Slice(key.data(), key.size())) ? 1 : 0;
        return present;
    }
    std::uint64_t count_in_batches(const key_set& asked) const {
        constexpr std::size_t batch = 32;  // the most that MultiGet hands over
        rocksdb::Slice slices[batch];
        rocksdb::Slice* pointers[batch];
        bool answers[batch];
        std::uint64_t present = 0;
        for (std::size_t first = 0; first < asked.size(); first += batch) {
            const std::size_t now = std::min(batch, asked.size() - first);
            for (std::size_t i = 0; i < now; ++i) {
                slices[i] = {asked.keys[first + i].data(), asked.keys[first + i].size()};
                pointers[i] = &slices[i];
            }
            reader_->MayMatch(static_cast<int>(now), pointers, answers);
            for (std::size_t i = 0; i < now; ++i) present += answers[i] ? 1 : 0;
        }
        return present;
    }

    std::string name_;
    std::unique_ptr<const rocksdb::FilterPolicy> policy_;
    double fpr_;
    std::unique_ptr<const char[]> buffer_;
    rocksdb::Slice contents_;
    std::unique_ptr<rocksdb::FilterBitsReader> reader_;
};

}  // namespace bench

#endif
