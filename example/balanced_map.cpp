// links: headers. An exact map whose lookups are bounded: at most three buckets of three entries, then the overflow.
#include <iostream>
#include <string>

#include <membrane/table/balanced_table.hpp>

int main() {
    const auto key = membrane::random_hash_key();
    if (!key) {
        std::cerr << membrane::describe(key.error()) << '\n';
        return 1;
    }
    membrane::balanced_table<std::string, int> ages(1000, {membrane::hash_id::siphash13, *key});
    ages.insert("alice", 41);
    ages.insert("bob", 27);
    ages.erase("bob");
    for (auto& person : ages) person.value += 1;
    const int* age = ages.find("alice");
    std::cout << "alice is " << *age << ", bob is " << (ages.find("bob") ? "known" : "unknown") << '\n';
    return *age == 42 && ages.size() == 1 ? 0 : 1;
}
