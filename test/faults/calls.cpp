// Every call of the library while one call of the system fails, memory above all: an error or the whole result, the filter as before or
// as after, nothing leaked. Each call is repeated with the first, second, ... allocation refused, alone and with all that follow, until
// it needs no more.
#include <cerrno>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/runtime/mapped_filter.hpp>
#include <membrane/runtime/number_files.hpp>
#include <membrane/runtime/save.hpp>

#include "support/filters.hpp"
#include "support/kinds.hpp"
#include "support/temporary.hpp"

// test/faults/shim.c
extern "C" {
void membrane_fault(const char* function, long call, int lasts, int code);
long membrane_fault_calls(const char* function);
long membrane_blocks(void);
}

namespace membrane::test {
namespace {

constexpr std::uint64_t planned = 60;

enum class outcome { done, refused };
template <class T>
outcome outcome_of(const result<T>& done) {
    if (done) return outcome::done;
    // Not a word may be said that is not so.
    EXPECT_TRUE(done.error().code == errc::out_of_memory || done.error().code == errc::io_error)
        << describe(done.error());
    return outcome::refused;
}

// What is called on a filter of its own each time. changes_in_steps: when it was refused, it may have stored some of several keys.
struct tested_call {
    const char* name;
    std::function<outcome(any_filter&)> run;
    bool changes_in_steps = false;
    std::function<void()> check = [] {};  // after each call, when nothing fails any more
};

class Faults : public kind_test {
protected:
    const std::vector<key_hash> first = hashes_of(numbered_hasher(1), 0, planned);
    const std::vector<key_hash> later = hashes_of(numbered_hasher(1), 1000, planned);
    std::uint64_t injections = 0;

    static outcome outcome_when_thrown(const tested_call& call, any_filter& filter) {
        try {
            return call.run(filter);
        } catch (const std::bad_alloc&) {
            return outcome::refused;
        }
    }
    // The call with no fault, then with each.
    void expect_whole(const named_spec& each, const tested_call& call, const char* function, int code) {
        SCOPED_TRACE(each.name + ", " + call.name + ", " + function);
        any_filter whole = filled(each.spec, first);
        const auto before = file_of(whole);
        const outcome usual = call.run(whole);
        const auto after = file_of(whole);
        for (const int lasts : {0, 1})
            for (long number = 1;; ++number) {
                any_filter filter = filled(each.spec, first);
                membrane_fault(function, number, lasts, code);
                const outcome found = outcome_when_thrown(call, filter);
                const long calls = membrane_fault_calls(function);
                membrane_fault(function, 0, 0, 0);
                if (calls < number) break;
                ++injections;
                call.check();
                const auto now = file_of(filter);
                if (found == usual) {
                    EXPECT_EQ(now, after) << "call " << number;
                } else if (!call.changes_in_steps) {
                    EXPECT_EQ(now, before) << "call " << number << " was refused";
                }
                EXPECT_EQ(false_negatives(filter, first), 0u) << "call " << number;
                if (HasFailure()) return;
            }
    }
    // Blocks that a whole round of a call leaves behind.
    long blocks_left_by(const named_spec& each, const tested_call& call, long number) const {
        const long before = membrane_blocks();
        {
            any_filter filter = filled(each.spec, first);
            membrane_fault("malloc", number, 0, ENOMEM);
            static_cast<void>(outcome_when_thrown(call, filter));
            membrane_fault("malloc", 0, 0, 0);
        }
        return membrane_blocks() - before;
    }
};

TEST_P(Faults, RefusedMemoryChangesNothingAndLeaksNothing) {
    for (const named_spec& each : planned_specs(entry(), {.keys = 2 * planned, .fpr = 0.01})) {
        any_filter other = filled(each.spec, later);
        const auto file = file_of(other);
        const auto packed = other.pack();
        const auto patch = diff(filled(each.spec, first), other);
        const std::vector<tested_call> calls{
            {"create",
             [&](any_filter& filter) {
                 return outcome_of(any_filter::create(filter.spec(), filter.hash()));
             }},
            {"copy", [&](any_filter& filter) { return outcome_of(any_filter::copy_of(filter)); }},
            {"open a copy", [&](any_filter&) { return outcome_of(any_filter::open_copy(file)); }},
            {"insert",
             [&](any_filter& filter) {
                 return filter.insert_many(later) == later.size() ? outcome::done : outcome::refused;
             },
             true},
            {"merge",
             [&](any_filter& filter) {
                 if (!able(each).merge) return outcome::done;
                 const auto merged = filter.merge(other);
                 if (!merged && merged.error().code == errc::full) return outcome::done;
                 return outcome_of(merged);
             }},
            {"pack", [&](any_filter& filter) { return packed ? outcome_of(filter.pack()) : outcome::done; }},
            {"unpack",
             [&](any_filter&) { return packed ? outcome_of(any_filter::unpack(*packed)) : outcome::done; }},
            {"fold",
             [&](any_filter& filter) {
                 return able(each).fold ? outcome_of(filter.fold(1)) : outcome::done;
             }},
            {"reserve",
             [&](any_filter& filter) {
                 return able(each).grow ? outcome_of(filter.reserve(2000)) : outcome::done;
             }},
            {"shrink",
             [&](any_filter& filter) {
                 return able(each).grow ? outcome_of(filter.shrink_to_fit()) : outcome::done;
             }},
            {"lower the rate",
             [&](any_filter& filter) {
                 return able(each).grow ? outcome_of(filter.lower_rate(0.3)) : outcome::done;
             }},
            {"compare",
             [&](any_filter& filter) { return patch ? outcome_of(compare(filter, other)) : outcome::done; }},
            {"diff",
             [&](any_filter& filter) { return patch ? outcome_of(diff(filter, other)) : outcome::done; }},
            {"patch",
             [&](any_filter& filter) { return patch ? outcome_of(patched(filter, *patch)) : outcome::done; }},
            {"build",
             [&](any_filter& filter) {
                 filter.clear();
                 const auto built = filter.build(first, 1);
                 if (!built) static_cast<void>(filter.insert_many(first));
                 return outcome_of(built);
             }},
        };
        for (const tested_call& call : calls) {
            expect_whole(each, call, "malloc", ENOMEM);
            static_cast<void>(blocks_left_by(each, call, 0));
            for (const long number : {1, 2, 3, 5})
                EXPECT_EQ(blocks_left_by(each, call, number), 0)
                    << each.name << ", " << call.name << ", call " << number;
            if (HasFailure()) return;
        }
    }
    EXPECT_GT(injections, 20u);
    RecordProperty("injections", std::to_string(injections));
}

TEST_P(Faults, FailingFilesChangeNothing) {
    const temporary_directory folder;
    const auto specs = planned_specs(entry(), {.keys = 2 * planned, .fpr = 0.01});
    const std::string path = folder.path("saved.mbr");
    const any_filter older = filled(specs[0].spec, later);
    const any_filter newer = filled(specs[0].spec, first);
    const auto text_of = [](const any_filter& filter) {
        const auto bytes = file_of(filter);
        return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    };
    const tested_call saving{
        "save", [&](any_filter& filter) { return outcome_of(save(filter, path, existing::replace)); }, false,
        [&] {
            const std::string now = contents_of(path);
            EXPECT_TRUE(now == text_of(older) || now == text_of(newer)) << now.size() << " bytes";
            expect_done(save(older, path, existing::replace));
        }};
    const tested_call opening{"map", [&](any_filter&) { return outcome_of(mapped_filter::try_open(path)); }};
    for (const auto& [function, code] : {std::pair("write", ENOSPC),
                                         {"write", EIO},
                                         {"fsync", EIO},
                                         {"rename", EIO},
                                         {"open", EMFILE},
                                         {"malloc", ENOMEM}}) {
        expect_done(save(older, path, existing::replace));
        expect_whole(specs[0], saving, function, code);
        EXPECT_EQ(folder.names().size(), 1u) << "a file is left";
        EXPECT_TRUE(mapped_filter::try_open(path));
    }
    for (const auto& [function, code] : {std::pair("open", EACCES), {"mmap", ENOMEM}, {"malloc", ENOMEM}})
        expect_whole(specs[0], opening, function, code);
    EXPECT_GT(injections, 8u);
}

MEMBRANE_FOR_EVERY_KIND(Faults);

}  // namespace
}  // namespace membrane::test
