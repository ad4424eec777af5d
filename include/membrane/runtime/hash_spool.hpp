// The hashes of keys whose number is not known beforehand: 16 bytes for each key, sorted and without duplicates unless the
// caller keeps them. Above a memory limit the hashes go to an unnamed temporary file. build.hpp makes a filter of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <membrane/base/function_ref.hpp>
#include <membrane/base/result.hpp>
#include <membrane/hash/key_hash.hpp>

namespace membrane {

enum class duplicates : bool { drop, keep };

class hash_pile;

class hash_spool {
public:
    static constexpr std::uint64_t default_memory_bytes = std::uint64_t{1} << 30;

    // At most about `memory_bytes` are held in memory; the rest goes to `directory` (TMPDIR or /tmp if empty).
    // Sorts with this many threads (0: as many as the machine has).
    explicit hash_spool(duplicates repeated, std::uint64_t memory_bytes = default_memory_bytes,
                        std::string directory = {}, unsigned threads = 0);
    hash_spool(hash_spool&&) noexcept;
    hash_spool& operator=(hash_spool&&) noexcept;
    ~hash_spool();

    result<void> add(std::span<const key_hash> hashes);
    result<void> add(key_hash hash) { return add(std::span(&hash, 1)); }

    // Ends the collection; returns how many hashes `for_each_batch` visits. Call it once, after the last `add`: it sorts
    // everything, and reads a temporary file once in order to count without duplicates.
    result<std::uint64_t> finish();
    std::uint64_t size() const noexcept { return size_; }  // what finish() returned

    // Visits all hashes in batches; an error of the visitor ends the walk and is returned. May be called repeatedly.
    result<void> for_each_batch(function_ref<result<void>(std::span<const key_hash>)> visit) const;

    // The hashes in the order of `for_each_batch`, valid until the spool is changed; empty if some are on disk.
    std::optional<std::vector<std::span<const key_hash>>> in_memory() const;

    std::uint64_t added() const noexcept { return added_; }
    std::uint64_t spilled_bytes() const noexcept;

private:
    struct spill_file;

    result<void> sort_pile();
    result<void> spill();
    result<std::uint64_t> count_batches() const;

    duplicates repeated_;
    unsigned threads_;
    std::unique_ptr<hash_pile> pile_;
    std::size_t pile_limit_;
    std::string directory_;
    std::uint64_t added_ = 0;
    std::uint64_t size_ = 0;
    std::unique_ptr<spill_file> spilled_;
};

}  // namespace membrane
