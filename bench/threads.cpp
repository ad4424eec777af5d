#include "threads.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include <membrane/filter/concurrent_filter.hpp>
#include <membrane/filter/filter.hpp>

#include "plot/chart.hpp"
#include "report.hpp"
#include "timing/machine.hpp"
#include "timing/stopwatch.hpp"

namespace bench {
namespace {

using namespace membrane;

constexpr unsigned thread_counts[] = {1, 2, 4, 8};
constexpr std::size_t piece = 1024;  // keys of a batch
using hashes_of_keys = std::vector<key_hash>;

// A filter as the threads of a program call it.
class subject {
public:
    virtual ~subject() = default;
    virtual std::size_t look(std::span<const key_hash> keys) = 0;
    virtual void insert(std::span<const key_hash> keys) = 0;
    virtual bool insert_if_absent(const key_hash& key) = 0;
};
std::size_t look_in(const auto& filter, std::span<const key_hash> keys) {
    std::uint64_t answers[piece / 64];
    return filter.may_contain_many(keys, answers);
}

class concurrent_subject : public subject {
public:
    explicit concurrent_subject(const filter_spec& spec) : filter_(spec) {}
    std::size_t look(std::span<const key_hash> keys) override { return look_in(filter_, keys); }
    void insert(std::span<const key_hash> keys) override { filter_.insert_many(keys); }
    bool insert_if_absent(const key_hash& key) override { return filter_.insert_if_absent(key); }

private:
    concurrent_filter filter_;
};

// Lock: taken for each call; Shared: what lookups take.
template <class Mutex, class Shared>
class locked_subject : public subject {
public:
    explicit locked_subject(const filter_spec& spec) : filter_(spec) {}
    std::size_t look(std::span<const key_hash> keys) override {
        const Shared lock(mutex_);
        return look_in(filter_, keys);
    }
    void insert(std::span<const key_hash> keys) override {
        const std::unique_lock lock(mutex_);
        filter_.insert_many(keys);
    }
    bool insert_if_absent(const key_hash& key) override {
        const std::unique_lock lock(mutex_);
        return filter_.insert_if_absent(key);
    }

private:
    filter filter_;
    Mutex mutex_;
};
// For lookups alone, or for one thread.
struct no_mutex {
    void lock() {}
    void unlock() {}
};

struct way {
    const char* name;
    std::unique_ptr<subject> (*make)(const filter_spec&);
    bool is_for_many_writers = true;
};
template <class Subject>
std::unique_ptr<subject> make(const filter_spec& spec) {
    return std::make_unique<Subject>(spec);
}
constexpr way ways[] = {
    {"concurrent_filter", &make<concurrent_subject>},
    {"filter, shared_mutex", &make<locked_subject<std::shared_mutex, std::shared_lock<std::shared_mutex>>>},
    {"filter, mutex", &make<locked_subject<std::mutex, std::unique_lock<std::mutex>>>},
    {"filter, no lock", &make<locked_subject<no_mutex, std::unique_lock<no_mutex>>>, false},
};

// Calls of all threads together in a second, from the first that begins to the last that ends. work(thread) answers how many it made.
double rate_of(unsigned threads, const std::function<std::uint64_t(unsigned)>& work) {
    using clock = std::chrono::steady_clock;
    struct span_of_thread {
        clock::time_point begin, end;
        std::uint64_t calls;
    };
    std::vector<span_of_thread> spans(threads);
    std::barrier ready(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::thread> running;
    for (unsigned i = 0; i < threads; ++i)
        running.emplace_back([&, i] {
            ready.arrive_and_wait();
            const auto begin = clock::now();
            const std::uint64_t calls = work(i);
            spans[i] = {begin, clock::now(), calls};
        });
    for (std::thread& each : running) each.join();
    span_of_thread all = spans.front();
    for (std::size_t i = 1; i < spans.size(); ++i)
        all = {std::min(all.begin, spans[i].begin), std::max(all.end, spans[i].end),
               all.calls + spans[i].calls};
    return static_cast<double>(all.calls) / std::chrono::duration<double>(all.end - all.begin).count();
}
// use(piece) for a thread's share of the keys.
template <class Use>
std::uint64_t share_of(const hashes_of_keys& keys, unsigned thread, unsigned threads, const Use& use) {
    const std::size_t first = keys.size() / threads * thread, end = keys.size() / threads * (thread + 1);
    for (std::size_t at = first; at < end; at += piece)
        use(std::span(keys).subspan(at, std::min(piece, end - at)));
    return end - first;
}

// writer_beside_lookups is taken together with lookups_beside_writer.
enum measure { lookups, lookups_beside_writer, writer_beside_lookups, batches, one_by_one, measures };
constexpr const char* measure_names[] = {"lookups", "lookups, one more thread inserts",
                                         "insert_if_absent of that one thread", "insertions in batches",
                                         "insert_if_absent, one by one"};

struct material {
    hashes_of_keys members, mixed, more;  // mixed: half members, half strangers
};
struct measured_rates {
    double all;
    double writer = 0;  // beside lookups
};
measured_rates measured(measure what, const way& how, const filter_spec& spec, const material& keys,
                        unsigned threads) {
    const auto filter = how.make(spec);
    if (what == batches)
        return {rate_of(threads, [&](unsigned own) {
            return share_of(keys.members, own, threads, [&](auto part) { filter->insert(part); });
        })};
    if (what == one_by_one)
        return {rate_of(threads, [&](unsigned own) {
            std::uint64_t news = 0;
            const std::uint64_t done = share_of(keys.members, own, threads, [&](auto part) {
                for (const key_hash& key : part) news += filter->insert_if_absent(key) ? 1 : 0;
            });
            timing::keep(news);
            return done;
        })};
    for (std::size_t at = 0; at < keys.members.size(); at += piece)
        filter->insert(std::span(keys.members).subspan(at, std::min(piece, keys.members.size() - at)));
    std::atomic<bool> is_over{false};
    std::thread writer;
    measured_rates rates{0};
    if (what == lookups_beside_writer)
        writer = std::thread([&] {
            rates.writer = rate_of(1, [&](unsigned) {
                std::uint64_t done = 0;
                for (; !is_over; ++done)
                    static_cast<void>(filter->insert_if_absent(keys.more[done % keys.more.size()]));
                return done;
            });
        });
    rates.all = rate_of(threads, [&](unsigned own) {
        std::size_t found = 0;
        const std::uint64_t done =
            share_of(keys.mixed, own, threads, [&](auto part) { found += filter->look(part); });
        timing::keep(found);
        return done;
    });
    is_over = true;
    if (writer.joinable()) writer.join();
    return rates;
}

// Every round measures everything once. The most of the rounds is shown, and medians of the ratios of one round.
using rates = std::vector<double>;
struct results {
    std::string kind;
    std::uint64_t keys;
    double fpr;
    std::map<std::pair<measure, std::pair<std::size_t, unsigned>>, rates> of;

    const rates* find(measure what, std::size_t way, unsigned threads) const {
        const auto found = of.find({what, {way, threads}});
        return found == of.end() ? nullptr : &found->second;
    }
};
double most(const rates& all) { return *std::max_element(all.begin(), all.end()); }
double median_ratio(const rates& of, const rates& to, double factor) {
    rates ratios;
    for (std::size_t i = 0; i < of.size(); ++i) ratios.push_back(of[i] / to[i] * factor);
    std::sort(ratios.begin(), ratios.end());
    return ratios[ratios.size() / 2];
}

results measure_all(const std::string& kind, std::uint64_t keys, double fpr, int rounds) {
    results all{kind, keys, fpr, {}};
    const hasher hash{hash_id::fold, {1, 2}};
    material from;
    for (std::uint64_t i = 0; i < keys; ++i) from.members.push_back(hash(i));
    for (std::uint64_t i = 0; i < keys; ++i)
        // In another order than they were inserted.
        from.mixed.push_back(hash(i * 7919 % keys + (i % 2 == 0 ? 0 : keys)));
    for (std::uint64_t i = 0; i < keys / 5; ++i) from.more.push_back(hash(3 * keys + i));
    // With room for what is inserted beside lookups.
    const filter_spec spec = kind == "balanced_rank"
                                 ? filter(keys + keys / 4, fpr, {.grow_to = 2 * keys}).spec()
                                 : filter(kind, keys + keys / 4, fpr).spec();
    for (int round = 0; round < rounds; ++round)
        for (int what = 0; what < measures; ++what)
            for (const unsigned threads : thread_counts)
                for (std::size_t i = 0; i < std::size(ways); ++i) {
                    if (what == writer_beside_lookups) continue;
                    const bool has_writers = what != lookups;
                    if (has_writers && !ways[i].is_for_many_writers &&
                        (threads > 1 || what == lookups_beside_writer))
                        continue;
                    const measured_rates now =
                        measured(static_cast<measure>(what), ways[i], spec, from, threads);
                    all.of[{static_cast<measure>(what), {i, threads}}].push_back(now.all);
                    if (what == lookups_beside_writer)
                        all.of[{writer_beside_lookups, {i, threads}}].push_back(now.writer);
                }
    return all;
}

void print(const results& all) {
    std::printf("\n%s, %llu keys, %g %%; million calls a second of all threads, the most of the rounds\n",
                all.kind.c_str(), static_cast<unsigned long long>(all.keys), 100 * all.fpr);
    for (int what = 0; what < measures; ++what) {
        std::printf("%-34s", measure_names[what]);
        for (const unsigned threads : thread_counts) std::printf(" %8u", threads);
        std::printf("\n");
        for (std::size_t i = 0; i < std::size(ways); ++i) {
            if (all.find(static_cast<measure>(what), i, 1) == nullptr) continue;
            std::printf("  %-32s", ways[i].name);
            for (const unsigned threads : thread_counts)
                if (const rates* const found = all.find(static_cast<measure>(what), i, threads))
                    std::printf(" %8.2f", most(*found) / 1e6);
            std::printf("\n");
        }
    }
    const std::size_t concurrent = 0, plain = std::size(ways) - 1;
    std::printf("  medians of the ratios of one round:\n");
    const auto ratio = [&](const char* text, measure of, std::size_t way, unsigned threads, measure to,
                           std::size_t to_way, unsigned to_threads, double factor) {
        std::printf("  %-76s %5.2f\n", text,
                    median_ratio(*all.find(of, way, threads), *all.find(to, to_way, to_threads), factor));
    };
    ratio("a lookup beside a writer, to one of the plain filter", lookups_beside_writer, concurrent, 1,
          lookups, plain, 1, 1);
    ratio("a lookup, to one of the plain filter", lookups, concurrent, 1, lookups, plain, 1, 1);
    ratio("lookups by two threads, to one thread", lookups, concurrent, 2, lookups, concurrent, 1, 1);
    ratio("insertions in batches by two threads, to one thread", batches, concurrent, 2, batches, concurrent,
          1, 1);
    ratio("insert_if_absent by two threads, to one thread", one_by_one, concurrent, 2, one_by_one, concurrent,
          1, 1);
    ratio("insertions in batches by one thread, to the plain filter", batches, concurrent, 1, batches, plain,
          1, 1);
    ratio("insert_if_absent by one thread, to the plain filter", one_by_one, concurrent, 1, one_by_one, plain,
          1, 1);
    std::fflush(stdout);
}

bool append(const std::string& path, const results& all) {
    std::FILE* const file = std::fopen(path.c_str(), "a");
    if (file == nullptr) {
        std::perror(path.c_str());
        return false;
    }
    if (std::ftell(file) == 0)
        std::fprintf(file, "# %s\nkind,keys,fpr,measure,filter,threads,most_mops,median_mops\n",
                     measured_on().c_str());
    for (const auto& [where, rounds] : all.of) {
        rates sorted = rounds;
        std::sort(sorted.begin(), sorted.end());
        std::fprintf(file, "%s,%llu,%g,\"%s\",\"%s\",%u,%.3f,%.3f\n", all.kind.c_str(),
                     static_cast<unsigned long long>(all.keys), all.fpr, measure_names[where.first],
                     ways[where.second.first].name, where.second.second, sorted.back() / 1e6,
                     sorted[sorted.size() / 2] / 1e6);
    }
    return std::fclose(file) == 0;
}

bool draw(const std::string& folder, const results& all) {
    plot::chart picture{.title = "Many threads",
                        .subtitle = all.kind + ", " + std::to_string(all.keys) + " keys, machine with " +
                                    std::to_string(std::thread::hardware_concurrency()) + " cores"};
    for (int what = 0; what < measures; ++what) {
        plot::panel panel{.title = measure_names[what],
                          .x = {.title = "threads", .shape = plot::scale::log10},
                          .y = {.title = "million calls a second"}};
        for (std::size_t i = 0; i < std::size(ways); ++i) {
            plot::series curve{.name = ways[i].name, .points = {}, .style = plot::look::line_with_markers};
            for (const unsigned threads : thread_counts)
                if (const rates* const found = all.find(static_cast<measure>(what), i, threads))
                    curve.points.push_back({static_cast<double>(threads), most(*found) / 1e6, {}});
            if (!curve.points.empty()) panel.curves.push_back(std::move(curve));
        }
        picture.panels.push_back(std::move(panel));
    }
    picture.columns = 2;
    const std::string name = all.kind == "balanced_rank" ? "threads.svg" : "threads_" + all.kind + ".svg";
    return write_chart(folder, name.c_str(), picture);
}

}  // namespace

int measure_threads(const options& chosen) {
    bool written = true;
    for (const std::uint64_t keys : chosen.sizes)
        for (const double fpr : chosen.rates)
            for (const char* const kind : {"balanced_rank", "blocked_bloom"}) {
                const results all = measure_all(kind, keys, fpr, chosen.rounds);
                print(all);
                if (!chosen.csv.empty()) written = append(chosen.csv, all) && written;
                if (!chosen.svg.empty()) written = draw(chosen.svg, all) && written;
            }
    return written ? 0 : 4;
}

}  // namespace bench
