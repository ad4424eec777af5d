// The calls whose names begin with try_, in a program compiled with -fno-exceptions.
#include <cstdio>
#include <string>
#include <vector>

#include <membrane/membrane.hpp>

namespace {

int problems = 0;

void expect(bool is_right, const char* what) {
    if (is_right) return;
    std::printf("wrong: %s\n", what);
    ++problems;
}

template <class Filter>
void use(Filter& filter, const std::string& path) {
    const std::vector<std::string> names{"bob", "carol"};
    expect(filter.try_insert("alice").has_value(), "insert");
    expect(filter.try_insert_many(names).has_value(), "insert_many");
    expect(filter.try_insert_if_absent("erin").value(), "insert_if_absent of an absent key");
    expect(!filter.try_insert_if_absent("erin").value(), "insert_if_absent of a present key");
    expect(filter.may_contain("alice") && filter.may_contain("erin"), "may_contain");
    std::vector<bool> answers(2);
    expect(filter.try_may_contain_many(names, answers).value() == 2, "may_contain_many");
    std::vector<bool> too_few(1);
    expect(!filter.try_may_contain_many(names, too_few), "too few answers");

    auto copy = filter.try_copy();
    expect(copy && *copy == filter, "copy");
    expect(copy->try_merge(filter).has_value(), "merge");
    auto bytes = filter.try_to_bytes();
    expect(bytes && Filter::try_from_bytes(*bytes).value() == filter, "bytes");
    bytes->back() ^= std::byte{1};
    expect(!Filter::try_from_bytes(*bytes), "changed bytes");
    expect(filter.try_save(path).has_value(), "save");
    expect(Filter::try_load(path).value() == filter, "load");
    expect(membrane::mapped_filter::try_open(path).value().may_contain("bob"), "a mapped file");
    std::remove(path.c_str());
    expect(Filter::try_load(path).error().code == membrane::errc::io_error, "a file that is not there");
}

}  // namespace

int main(int, char** arguments) {
    const std::string path = std::string(arguments[0]) + ".mbr";
    auto seen = membrane::filter::try_create(1000, 0.01);
    expect(seen.has_value(), "a filter");
    use(*seen, path);
    expect(seen->try_erase("alice").error().code == membrane::errc::not_supported, "erase from a set");
    expect(!membrane::filter::try_create(-1, 0.01), "a negative number of keys");
    expect(!membrane::filter::try_create(10, 2.0), "a rate above one");

    auto live = membrane::filter::try_create(1000, 0.01, membrane::erasable);
    use(*live, path);
    expect(live->try_erase("alice").value() && live->try_count("alice").value() == 0, "erase");

    auto blocked = membrane::blocked_bloom_filter::try_create(1000, 0.01);
    use(*blocked, path);
    auto growing = membrane::balanced_rank_filter::try_create(10, 0.01);
    use(*growing, path);
    for (int key = 0; key < 1000; ++key) expect(growing->try_insert(key).has_value(), "growth");
    auto full = membrane::rank_filter::try_create(10, 0.01);
    int stored = 0;
    while (full->try_insert(stored)) ++stored;
    expect(stored >= 10, "a full filter");
    for (int key = 0; key < stored; ++key) expect(full->may_contain(key), "a key of a full filter");
    return problems == 0 ? 0 : 1;
}
