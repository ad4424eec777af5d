// Processes the keys of files or standard input in several threads. Each thread takes the next block of records, processes it
// in parallel with the others and commits its results in the order of the input. Output, messages and the first error are
// the same as with one thread.
//
// A worker has process(key_parser&), which parses all batches of a block, and commit(), which runs in the order of the input
// and never concurrently.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include <membrane/base/threads.hpp>

#include "cli/print/output.hpp"
#include "key_parser.hpp"
#include "record_blocks.hpp"

namespace membrane::cli {

class key_pipeline {
public:
    // 0 threads: one per core. `before_wait` runs when the input has to be waited for, in turn with the commits (byte_stream.hpp).
    key_pipeline(const key_source& source, unsigned threads, std::function<int()> before_wait = {})
        : source_(source),
          blocks_(source, [this] { return flush_before_wait(); }),
          threads_(thread_count(threads)),
          before_wait_(std::move(before_wait)) {}

    // `make()` returns a worker for each thread. Throws the exception of a worker, or failure for bad data and unreadable files,
    // after all earlier blocks were committed.
    template <class MakeWorker>
    void run(const MakeWorker& make) {
        run_threads(threads_, [&](unsigned) {
            auto worker = make();
            record_block block;
            key_parser parser(source_);
            while (auto taken = take(block)) {
                if (!taken->problem) try {
                        parser.start(block);
                        worker.process(parser);
                    } catch (...) {
                        taken->problem = std::current_exception();
                    }
                commit_in_turn(*taken, parser, [&] { worker.commit(); });
            }
        });
        if (problem_) std::rethrow_exception(problem_);
    }

    // Of the blocks that were committed; valid in commit() and after run().
    std::uint64_t keys_read() const noexcept { return keys_read_; }
    const key_notes& notes() const noexcept { return notes_; }
    std::uint64_t bytes_read() const noexcept { return blocks_.bytes_read(); }
    std::optional<std::uint64_t> total_bytes() const noexcept { return blocks_.total_bytes(); }

private:
    struct turn {
        std::uint64_t number;
        std::exception_ptr problem;
    };

    std::optional<turn> take(record_block& block);
    template <class Commit>
    void commit_in_turn(const turn& own, const key_parser& parser, const Commit& commit) {
        std::unique_lock lock(turns_);
        next_turn_.wait(lock, [&] { return turn_ == own.number; });
        if (!problem_) try {
                if (own.problem) std::rethrow_exception(own.problem);
                count(parser);
                commit();
                if (is_waiting_) out().flush();
                parser.check();
            } catch (...) {
                problem_ = std::current_exception();
                is_over_ = true;
            }
        ++turn_;
        next_turn_.notify_all();
    }
    // The results so far appear before the input is waited for: those that are committed now, and those of the blocks that other
    // threads are still processing when they are committed.
    int flush_before_wait();
    void count(const key_parser& parser);

    key_source source_;
    record_blocks blocks_;
    unsigned threads_;
    std::function<int()> before_wait_;

    std::mutex reading_;
    std::uint64_t turns_taken_ = 0;
    std::atomic<bool> is_over_{false};
    std::atomic<bool> is_waiting_{false};  // for input; changed by the thread that reads

    std::mutex turns_;
    std::condition_variable next_turn_;
    std::uint64_t turn_ = 0;
    std::exception_ptr problem_;
    std::uint64_t keys_read_ = 0;
    key_notes notes_;
};

}  // namespace membrane::cli
