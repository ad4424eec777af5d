// Processes the keys of files or standard input in several threads. Each thread takes the next block of records, processes it
// in parallel with the others and commits its results in the order of the input. Output, messages and the first error are
// the same as with one thread.
//
// A worker has process(key_parser&), which parses all batches of a block, and commit(), which runs in the order of the input
// and never concurrently.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>

#include <membrane/base/threads.hpp>

#include "key_parser.hpp"
#include "record_blocks.hpp"

namespace membrane::cli {

class key_pipeline {
public:
    // 0 threads: one per core.
    key_pipeline(const key_source& source, unsigned threads)
        : source_(source), blocks_(source), threads_(thread_count(threads)) {}

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
                        parser.start(block.bytes());
                        worker.process(parser);
                    } catch (...) {
                        taken->problem = std::current_exception();
                    }
                commit_in_turn(*taken, block, parser, [&] { worker.commit(); });
            }
        });
        if (problem_) std::rethrow_exception(problem_);
    }

    // Committed keys; valid in commit() and after run().
    std::uint64_t keys_read() const noexcept { return keys_read_; }
    std::uint64_t bytes_read() const noexcept { return blocks_.bytes_read(); }
    std::optional<std::uint64_t> total_bytes() const noexcept { return blocks_.total_bytes(); }

private:
    struct turn {
        std::uint64_t number;
        std::exception_ptr problem;
    };

    std::optional<turn> take(record_block& block);
    template <class Commit>
    void commit_in_turn(const turn& own, const record_block& block, const key_parser& parser,
                        const Commit& commit) {
        std::unique_lock lock(turns_);
        next_turn_.wait(lock, [&] { return turn_ == own.number; });
        if (!problem_) try {
                if (own.problem) std::rethrow_exception(own.problem);
                count(block, parser);
                commit();
                check(block, parser);
            } catch (...) {
                problem_ = std::current_exception();
                is_over_ = true;
            }
        ++turn_;
        next_turn_.notify_all();
    }
    void count(const record_block& block, const key_parser& parser);
    void check(const record_block& block, const key_parser& parser) const;

    key_source source_;
    record_blocks blocks_;
    unsigned threads_;

    std::mutex reading_;
    std::uint64_t turns_taken_ = 0;
    std::atomic<bool> is_over_{false};

    std::mutex turns_;
    std::condition_variable next_turn_;
    std::uint64_t turn_ = 0;
    std::exception_ptr problem_;
    std::uint64_t file_keys_ = 0, keys_read_ = 0;
};

}  // namespace membrane::cli
