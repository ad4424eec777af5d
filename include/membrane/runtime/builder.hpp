// For keys whose number is not known beforehand: keeps their hashes (16 bytes each), sorted and without repetition
// unless asked otherwise, writes them to an unnamed temporary file when they pass a memory bound, and hands them out
// when the filter has been sized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <membrane/base/result.hpp>
#include <membrane/hash/key_hash.hpp>
#include <membrane/runtime/any_filter.hpp>

namespace membrane {

enum class duplicates : bool { drop, keep };

class hash_pile;

class hash_spool {
public:
    static constexpr std::uint64_t default_memory_bytes = std::uint64_t{1} << 30;

    // At most about `memory_bytes` are held in memory; the rest goes to `directory` (TMPDIR or /tmp if empty).
    // Sorts with so many threads (0: as many as the machine has).
    explicit hash_spool(duplicates repeated, std::uint64_t memory_bytes = default_memory_bytes,
                        std::string directory = {}, unsigned threads = 0);
    hash_spool(hash_spool&&) noexcept;
    hash_spool& operator=(hash_spool&&) noexcept;
    ~hash_spool();

    result<void> add(std::span<const key_hash> hashes);
    result<void> add(key_hash hash) { return add(std::span(&hash, 1)); }

    // Ends the collection; the number of hashes that `for_each_batch` will hand out.
    result<std::uint64_t> finish();

    // Hands out all hashes in batches; the visitor may stop the walk by returning an error. May be called repeatedly.
    result<void> for_each_batch(const std::function<result<void>(std::span<const key_hash>)>& visit) const;

    // Where they lie, in the order of `for_each_batch`, until the spool is changed; nothing if some are on disk.
    std::optional<std::vector<std::span<const key_hash>>> in_memory() const;

    std::uint64_t added() const noexcept { return added_; }
    std::uint64_t spilled_bytes() const noexcept;

private:
    struct spill_file;

    result<void> sort_pile();
    result<void> spill();

    duplicates repeated_;
    unsigned threads_;
    std::unique_ptr<hash_pile> pile_;
    std::size_t pile_limit_;
    std::string directory_;
    std::uint64_t added_ = 0;
    std::optional<std::uint64_t> finished_;  // the answer of finish, once it was given
    std::unique_ptr<spill_file> spilled_;
};

using progress_report = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Finishes the spool, sizes `kind` (without one, the planner's choice) for what it holds, creates the filter and fills it.
struct build_request {
    const kind_entry* kind = nullptr;
    plan::requirement wanted;  // keys = 0: as many as there are
    plan::given_fields given;
    hasher hash;
    std::uint64_t max_bytes = no_byte_limit;
    progress_report progress{};
    // Told what will be made, and why if the planner chose, before its memory is taken; an error ends the build.
    std::function<result<void>(const filter_spec&, std::uint64_t working_bytes, std::string_view why)>
        announce{};
    unsigned threads = 0;  // 0: as many as the machine has
};
// Whether filters of this spec are built from all keys at once, and the memory that building one takes: the filter, and
// for such kinds the hashes and their scratch. Empty if it overflows.
bool chooses_together(const filter_spec& spec);
std::optional<std::uint64_t> working_bytes(const filter_spec& spec, std::uint64_t keys);
result<any_filter> build_from(hash_spool& spool, const build_request& request);

}  // namespace membrane
