#include <membrane/runtime/hash_spool.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <queue>
#include <utility>

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <membrane/base/threads.hpp>

#include "descriptor.hpp"
#include "hash_pile.hpp"

namespace membrane {

// Sorted runs one after the other in an unnamed file: the system removes it when the process ends, even by a signal.
struct hash_spool::spill_file {
    descriptor file;
    std::vector<std::uint64_t> run_ends;  // in hashes; run i starts where run i-1 ends

    std::uint64_t size() const { return run_ends.empty() ? 0 : run_ends.back(); }
};

namespace {

constexpr std::size_t batch_hashes = 1 << 14;

result<descriptor> unnamed_temporary(const std::string& directory) {
#if defined(O_TMPFILE)
    if (const int opened = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); opened >= 0)
        return descriptor(opened);
#endif
    std::string name = directory + "/membrane-XXXXXX";
    descriptor opened(::mkostemp(name.data(), O_CLOEXEC));
    if (!opened.is_open()) return system_error("create a temporary file");
    ::unlink(name.c_str());
    return opened;
}

result<void> write_at_end(int file, std::span<const key_hash> hashes) {
    auto bytes = std::as_bytes(hashes);
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_error("write to the temporary file");
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
}

// Reads one run front to back through a buffer.
class run_reader {
public:
    run_reader(int file, std::uint64_t first, std::uint64_t last) : file_(file), next_(first), last_(last) {}

    // False at the end of the run.
    result<bool> advance() {
        if (++at_ < buffer_.size()) return true;
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(batch_hashes, last_ - next_));
        buffer_.resize(count);
        at_ = 0;
        auto bytes = std::as_writable_bytes(std::span(buffer_));
        auto offset = static_cast<off_t>(next_ * sizeof(key_hash));
        while (!bytes.empty()) {
            const ssize_t got = ::pread(file_, bytes.data(), bytes.size(), offset);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return system_error("read the temporary file");
            bytes = bytes.subspan(static_cast<std::size_t>(got));
            offset += got;
        }
        next_ += count;
        return count != 0;
    }
    const key_hash& head() const { return buffer_[at_]; }

private:
    int file_;
    std::uint64_t next_, last_;
    std::vector<key_hash> buffer_;
    std::size_t at_ = 0;
};

}  // namespace

hash_spool::hash_spool(duplicates repeated, std::uint64_t memory_bytes, std::string directory,
                       unsigned threads)
    : repeated_(repeated),
      threads_(threads),
      pile_(std::make_unique<hash_pile>()),
      pile_limit_(static_cast<std::size_t>(
          std::clamp<std::uint64_t>(memory_bytes / sizeof(key_hash), 1024, PTRDIFF_MAX / sizeof(key_hash)))),
      directory_(std::move(directory)) {
    if (directory_.empty()) {
        const char* const chosen = std::getenv("TMPDIR");
        directory_ = chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
    }
}

hash_spool::hash_spool(hash_spool&&) noexcept = default;
hash_spool& hash_spool::operator=(hash_spool&&) noexcept = default;
hash_spool::~hash_spool() = default;

std::optional<std::vector<std::span<const key_hash>>> hash_spool::in_memory() const {
    if (spilled_) return std::nullopt;
    return pile_->pieces();
}

std::uint64_t hash_spool::spilled_bytes() const noexcept {
    return spilled_ ? spilled_->size() * sizeof(key_hash) : 0;
}

namespace {

error no_memory(std::size_t hashes) {
    return make_error(errc::out_of_memory, "hashes of the keys").with_found(hashes * sizeof(key_hash));
}

}  // namespace

result<void> hash_spool::sort_pile() {
    if (repeated_ == duplicates::keep) return {};
    try {
        pile_->sort_unique(thread_count(threads_));
    } catch (const std::bad_alloc&) {
        return no_memory(pile_->size());
    }
    return {};
}

result<void> hash_spool::spill() {
    if (!spilled_) {
        auto file = unnamed_temporary(directory_);
        if (!file) return file.error();
        spilled_ = std::make_unique<spill_file>(spill_file{std::move(*file), {}});
    }
    for (const auto& piece : pile_->pieces())
        if (auto written = write_at_end(spilled_->file.number(), piece); !written) return written;
    spilled_->run_ends.push_back(spilled_->size() + pile_->size());
    pile_->clear();
    return {};
}

result<void> hash_spool::add(std::span<const key_hash> hashes) {
    added_ += hashes.size();
    while (!hashes.empty()) {
        const std::size_t room = std::min(hashes.size(), pile_limit_ - pile_->size());
        try {
            pile_->add(hashes.first(room));
        } catch (const std::bad_alloc&) {
            return no_memory(pile_->size());
        }
        hashes = hashes.subspan(room);
        if (pile_->size() < pile_limit_) continue;
        if (auto sorted = sort_pile(); !sorted) return sorted;
        // If sorting removed half of the hashes as duplicates, there is room again and nothing to write.
        if (pile_->size() > pile_limit_ / 2)
            if (auto done = spill(); !done) return done;
    }
    return {};
}

result<std::uint64_t> hash_spool::finish() {
    if (auto sorted = sort_pile(); !sorted) return sorted.error();
    if (!spilled_) return size_ = pile_->size();
    if (auto done = spill(); !done) return done.error();
    *pile_ = {};
    const auto count = repeated_ == duplicates::keep ? spilled_->size() : count_batches();
    if (count) size_ = *count;
    return count;
}

// Runs on disk may share hashes: only merging them tells how many different ones there are.
result<std::uint64_t> hash_spool::count_batches() const {
    std::uint64_t count = 0;
    const auto counted = for_each_batch([&](std::span<const key_hash> batch) {
        count += batch.size();
        return result<void>();
    });
    if (!counted) return counted.error();
    return count;
}

result<void> hash_spool::for_each_batch(function_ref<result<void>(std::span<const key_hash>)> visit) const {
    if (!spilled_) {
        for (const auto& piece : pile_->pieces())
            if (auto done = visit(piece); !done) return done;
        return {};
    }
    std::vector<run_reader> runs;
    std::uint64_t first = 0;
    for (const std::uint64_t end : spilled_->run_ends) {
        if (end != first) runs.emplace_back(spilled_->file.number(), first, end);
        first = end;
    }
    // If duplicates are kept, the runs are unsorted and the merged order is arbitrary; no caller needs more than that.
    const auto is_later = [&](std::size_t a, std::size_t b) { return runs[b].head() < runs[a].head(); };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(is_later)> heads(is_later);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto has_first = runs[i].advance();
        if (!has_first) return has_first.error();
        if (*has_first) heads.push(i);
    }
    std::vector<key_hash> batch;
    const key_hash* last = nullptr;
    key_hash last_value;
    while (!heads.empty()) {
        const std::size_t run = heads.top();
        heads.pop();
        const key_hash hash = runs[run].head();
        if (repeated_ == duplicates::keep || last == nullptr || hash != last_value) batch.push_back(hash);
        last_value = hash;
        last = &last_value;
        const auto has_next = runs[run].advance();
        if (!has_next) return has_next.error();
        if (*has_next) heads.push(run);
        if (batch.size() == batch_hashes) {
            if (auto done = visit(batch); !done) return done;
            batch.clear();
        }
    }
    return batch.empty() ? result<void>() : visit(batch);
}

}  // namespace membrane
