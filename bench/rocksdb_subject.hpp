// Debian's RocksDB filters with keys: cache-local Bloom and Ribbon. They are built once from all keys and accept no more. RocksDB's
// public headers only declare the two classes that do the work; the declarations here repeat their virtual functions in the order
// of version 7.8, which the build checks.
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

#include "timing/subject.hpp"

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

using namespace membrane::timing;

class rocksdb_subject : public subject {
public:
    rocksdb_subject(std::string name, const rocksdb::FilterPolicy* policy, double fpr)
        : name_(std::move(name)), policy_(policy), fpr_(fpr) {}

    std::string name() const override { return name_; }
    double size_bytes() const override { return static_cast<double>(contents_.size()); }
    double predicted_fpr() const override { return fpr_; }

    bool can(column which) const override {
        return which == hit_one || which == miss_one || which == hit_batch || which == miss_batch;
    }
    void clear() override {
        reader_.reset();
        buffer_.reset();
    }

    void fill(const key_supply& supply, const line_reads&, filling& taken) override {
        clear();
        const rocksdb::BlockBasedTableOptions options;
        const rocksdb::FilterBuildingContext context(options);
        const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(policy_->GetBuilderWithContext(context));
        stopwatch building;
        supply.for_each_chunk(0, supply.members(), hash(), [&](const key_set& chunk) {
            building.time(chunk.size(), [&] {
                for (const std::string_view key : chunk.texts()) builder->AddKey({key.data(), key.size()});
            });
        });
        building.time(0, [&] { contents_ = builder->Finish(&buffer_); });
        reader_.reset(policy_->GetFilterBitsReader(contents_));
        taken.ns[insert_batch] = building.ns_per_operation();
    }

    std::uint64_t perform(column which, const key_set& keys) override {
        if (which == hit_batch || which == miss_batch) return count_in_batches(keys.texts());
        std::uint64_t present = 0;
        for (const std::string_view key : keys.texts())
            present += reader_->MayMatch(rocksdb::Slice(key.data(), key.size())) ? 1 : 0;
        return present;
    }

private:
    std::uint64_t count_in_batches(std::span<const std::string_view> keys) const {
        constexpr std::size_t batch = 32;  // the largest batch that MultiGet passes
        rocksdb::Slice slices[batch];
        rocksdb::Slice* pointers[batch];
        bool answers[batch];
        std::uint64_t present = 0;
        for (std::size_t first = 0; first < keys.size(); first += batch) {
            const std::size_t now = std::min(batch, keys.size() - first);
            for (std::size_t i = 0; i < now; ++i) {
                slices[i] = {keys[first + i].data(), keys[first + i].size()};
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
