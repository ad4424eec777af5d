// Every call of the C interface that takes memory or files, while the first, second, ... allocation, write, open, ... fails: a status that says
// so, the filter as before or as after, the result not made, nothing leaked. The same for the bindings of other languages, which call it.
// Not membrane_plan and membrane_info: the values of their JSON library take memory when they are freed, and end the program without it.
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <membrane/membrane.h>

#include "support/temporary.hpp"

// test/faults/shim.c
extern "C" {
void membrane_fault(const char* function, long call, int lasts, int code);
long membrane_fault_calls(const char* function);
long membrane_blocks(void);
}

namespace membrane::test {
namespace {

struct closer {
    void operator()(membrane_filter* filter) const { membrane_close(filter); }
    void operator()(void* bytes) const { membrane_free(bytes); }
};
using c_filter = std::unique_ptr<membrane_filter, closer>;

std::string c_bytes_of(const membrane_filter* filter) {
    void* bytes = nullptr;
    std::size_t length = 0;
    EXPECT_EQ(membrane_to_bytes(filter, &bytes, &length), MEMBRANE_OK) << membrane_last_error();
    const std::unique_ptr<void, closer> owner(bytes);
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), length);
}
c_filter c_filter_of(const std::string& bytes) {
    membrane_filter* made = nullptr;
    EXPECT_EQ(membrane_from_bytes(bytes.data(), bytes.size(), &made), MEMBRANE_OK) << membrane_last_error();
    return c_filter(made);
}

membrane_keys numbers(const std::vector<std::uint64_t>& keys) {
    return {MEMBRANE_UNSIGNED, 8, keys.size(), keys.data(), nullptr};
}
std::vector<std::uint64_t> counted_from(std::uint64_t first, std::size_t count) {
    std::vector<std::uint64_t> keys(count);
    for (std::size_t i = 0; i < count; ++i) keys[i] = first + i;
    return keys;
}

// The bytes of a filter with some keys; other keys for another of the same hash key.
std::string filled_file(const membrane_request& request, std::uint64_t first) {
    membrane_filter* made = nullptr;
    EXPECT_EQ(membrane_create_from(&request, &made), MEMBRANE_OK) << membrane_last_error();
    const c_filter filter(made);
    const auto keys = counted_from(first, 60);
    const membrane_keys batch = numbers(keys);
    EXPECT_EQ(membrane_insert_many(made, &batch, nullptr), MEMBRANE_OK) << membrane_last_error();
    return c_bytes_of(made);
}

struct c_call {
    const char* name;
    std::function<membrane_status(membrane_filter*)> run;
    bool changes_in_steps = false;  // several keys: those before the refused one are stored
    bool writes_file = false;
};

// A status of a call that makes a filter, or bytes: what was made is given back; after an error nothing was made.
template <class Make>
auto making(Make make) {
    return [make](membrane_filter* filter) {
        membrane_filter* made = nullptr;
        const membrane_status status = make(filter, &made);
        EXPECT_EQ(made == nullptr, status != MEMBRANE_OK);
        membrane_close(made);
        return status;
    };
}
template <class Make>
auto writing(Make make) {
    return [make](membrane_filter* filter) {
        void* bytes = nullptr;
        std::size_t length = 0;
        const membrane_status status = make(filter, &bytes, &length);
        EXPECT_EQ(bytes == nullptr, status != MEMBRANE_OK);
        membrane_free(bytes);
        return status;
    };
}

class CFaults : public testing::TestWithParam<const char*> {
protected:
    std::uint64_t injections = 0;

    // The call with the n-th call of the function refused, alone or with all after it. Every n to 64, then at growing distances: planning
    // allocates thousands of times, and takes its time.
    void expect_whole(const std::string& before, const c_call& call, const char* function, int code,
                      membrane_status stated) {
        SCOPED_TRACE(std::string(call.name) + ", " + function);
        const c_filter whole = c_filter_of(before);
        const membrane_status usual = call.run(whole.get());
        const std::string after = c_bytes_of(whole.get());
        for (const int lasts : {0, 1})
            for (long number = 1;; number += 1 + number / 64) {
                const c_filter filter = c_filter_of(before);
                membrane_fault(function, number, lasts, code);
                const membrane_status found = call.run(filter.get());
                const long calls = membrane_fault_calls(function);
                membrane_fault(function, 0, 0, 0);
                if (calls < number) break;
                ++injections;
                const std::string now = c_bytes_of(filter.get());
                if (found == usual) {
                    EXPECT_EQ(now, after) << "call " << number;
                } else {
                    EXPECT_EQ(found, stated) << "call " << number << ": " << membrane_last_error();
                    EXPECT_GT(std::strlen(membrane_last_error()), 5u);
                    if (!call.changes_in_steps) {
                        EXPECT_EQ(now, before) << "call " << number << " was refused";
                    }
                }
                if (HasFailure()) return;
            }
    }
    // Blocks that a second round leaves behind; the first leaves the text of the last error.
    static long blocks_left_by(const std::string& before, const c_call& call, long number) {
        long left = 0;
        for (int round = 0; round < 2; ++round) {
            const long at_first = membrane_blocks();
            {
                const c_filter filter = c_filter_of(before);
                membrane_fault("malloc", number, 0, ENOMEM);
                static_cast<void>(call.run(filter.get()));
                membrane_fault("malloc", 0, 0, 0);
            }
            left = membrane_blocks() - at_first;
        }
        return left;
    }
};

TEST_P(CFaults, AreStatedAndChangeNothing) {
    static constexpr std::uint8_t hash_key[16]{1, 2, 3, 4, 5, 6, 7, 8};
    membrane_request request = MEMBRANE_REQUEST_INIT;
    request.keys = 200;
    request.fpr = 0.01;
    request.kind = *GetParam() == '\0' ? nullptr : GetParam();
    request.hash_key = hash_key;
    const std::string before = filled_file(request, 0), newer = filled_file(request, 30);
    const c_filter other = c_filter_of(newer);
    const auto packed = [&] {
        void* bytes = nullptr;
        std::size_t length = 0;
        if (membrane_pack(other.get(), &bytes, &length) != MEMBRANE_OK) return std::string("none");
        const std::unique_ptr<void, closer> owner(bytes);
        return std::string(static_cast<const char*>(bytes), length);
    }();
    const std::string patch = [&] {
        const c_filter older = c_filter_of(before);
        void* bytes = nullptr;
        std::size_t length = 0;
        if (membrane_diff(older.get(), other.get(), &bytes, &length) != MEMBRANE_OK)
            return std::string("none");
        const std::unique_ptr<void, closer> owner(bytes);
        return std::string(static_cast<const char*>(bytes), length);
    }();
    const temporary_directory folder;
    const std::string path = folder.path("c.mbr");
    const auto many = counted_from(1000, 300);
    const membrane_keys batch = numbers(many);

    const std::vector<c_call> calls{
        {"create", making([](membrane_filter*, membrane_filter** made) {
             return membrane_create(100, 0.01, MEMBRANE_ERASE, made);
         })},
        {"create_from", making([&](membrane_filter*, membrane_filter** made) {
             return membrane_create_from(&request, made);
         })},
        {"create_like", making([](membrane_filter* filter, membrane_filter** made) {
             return membrane_create_like(filter, made);
         })},
        {"create_counter", making([](membrane_filter*, membrane_filter** made) {
             return membrane_create_counter(0.1, 0.1, 3, 8, made);
         })},
        {"copy",
         making([](membrane_filter* filter, membrane_filter** made) { return membrane_copy(filter, made); })},
        {"from_bytes", making([&](membrane_filter*, membrane_filter** made) {
             return membrane_from_bytes(newer.data(), newer.size(), made);
         })},
        {"unpack", making([&](membrane_filter*, membrane_filter** made) {
             return membrane_unpack(packed.data(), packed.size(), 0, made);
         })},
        {"patch", making([&](membrane_filter* filter, membrane_filter** made) {
             return membrane_patch(filter, patch.data(), patch.size(), 0, made);
         })},
        {"open",
         making([&](membrane_filter*, membrane_filter** made) { return membrane_open(path.c_str(), made); }),
         false, true},
        {"map", making([&](membrane_filter*, membrane_filter** made) {
             return membrane_map(path.c_str(), true, made);
         }),
         false, true},
        {"save", [&](membrane_filter* filter) { return membrane_save(filter, path.c_str(), true); }, false,
         true},
        {"top", writing([](membrane_filter* filter, void** bytes, std::size_t* length) {
             const membrane_status status =
                 membrane_top(filter, 3, reinterpret_cast<membrane_counted_key**>(bytes), length);
             return status;
         })},
        {"to_bytes", writing([](membrane_filter* filter, void** bytes, std::size_t* length) {
             return membrane_to_bytes(filter, bytes, length);
         })},
        {"pack", writing([](membrane_filter* filter, void** bytes, std::size_t* length) {
             return membrane_pack(filter, bytes, length);
         })},
        {"diff", writing([&](membrane_filter* filter, void** bytes, std::size_t* length) {
             return membrane_diff(filter, other.get(), bytes, length);
         })},
        {"insert", [](membrane_filter* filter) { return membrane_insert(filter, "a key", 5); }},
        {"erase", [](membrane_filter* filter) { return membrane_erase_u64(filter, 7, nullptr); }},
        {"insert_many",
         [&](membrane_filter* filter) { return membrane_insert_many(filter, &batch, nullptr); }, true},
        {"insert_many_if_absent",
         [&](membrane_filter* filter) {
             return membrane_insert_many_if_absent(filter, &batch, nullptr, nullptr);
         },
         true},
        {"may_contain_many",
         [&](membrane_filter* filter) {
             std::uint64_t present = 0;
             return membrane_may_contain_many(filter, &batch, nullptr, &present);
         }},
        {"clear", [](membrane_filter* filter) { return membrane_clear(filter); }},
        {"merge", [&](membrane_filter* filter) { return membrane_merge(filter, other.get()); }},
        {"intersect", [&](membrane_filter* filter) { return membrane_intersect(filter, other.get()); }},
        {"grow", [](membrane_filter* filter) { return membrane_grow(filter, 3000); }},
        {"shrink", [](membrane_filter* filter) { return membrane_shrink(filter); }},
        {"lower_rate", [](membrane_filter* filter) { return membrane_lower_rate(filter, 0.3, nullptr); }},
        {"is_equal",
         [&](membrane_filter* filter) {
             bool answer = false;
             return membrane_is_equal(filter, other.get(), &answer);
         }},
    };
    ASSERT_EQ(membrane_save(other.get(), path.c_str(), true), MEMBRANE_OK);
    for (const c_call& call : calls) {
        expect_whole(before, call, "malloc", ENOMEM, MEMBRANE_OUT_OF_MEMORY);
        if (call.writes_file)
            for (const auto& [function, code] : {std::pair("open", EMFILE),
                                                 {"write", ENOSPC},
                                                 {"fsync", EIO},
                                                 {"rename", EIO},
                                                 {"mmap", ENOMEM},
                                                 {"read", EIO}}) {
                expect_whole(before, call, function, code, MEMBRANE_IO_ERROR);
                EXPECT_EQ(folder.names().size(), 1u) << "a file is left";
                membrane_filter* made = nullptr;
                EXPECT_EQ(membrane_open(path.c_str(), &made), MEMBRANE_OK) << membrane_last_error();
                membrane_close(made);
            }
        for (const long number : {1, 2, 3, 5})
            EXPECT_EQ(blocks_left_by(before, call, number), 0) << call.name << ", call " << number;
        if (HasFailure()) return;
    }
    EXPECT_GT(injections, 100u);
    RecordProperty("injections", std::to_string(injections));
}

INSTANTIATE_TEST_SUITE_P(Kinds, CFaults,
                         testing::Values("", "balanced_rank:form=erasable", "balanced_rank:form=fixed",
                                         "bloom", "blocked_bloom", "counting_bloom",
                                         "count_min:top_slots=3,top_key_bytes=8", "choice_bloom",
                                         "balanced_bloom", "rank"));

}  // namespace
}  // namespace membrane::test
