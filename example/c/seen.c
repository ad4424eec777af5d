/* Which keys are new? One by one, then in batches; then from a file that is mapped. To compile it:
 *     cc -std=c99 seen.c -lmembrane -o seen */
#include <membrane/membrane.h>
#include <stdio.h>
#include <string.h>

static int failed(const char* step) {
    fprintf(stderr, "%s: %s\n", step, membrane_last_error());
    return 1;
}

static int answer_from(const char* path) {
    membrane_filter* mapped = NULL;
    if (membrane_map(path, true, &mapped) != MEMBRANE_OK) return failed("map");
    bool alice = false, mallory = true;
    const bool is_answered = membrane_may_contain(mapped, "alice", 5, &alice) == MEMBRANE_OK &&
                             membrane_may_contain(mapped, "mallory", 7, &mallory) == MEMBRANE_OK;
    membrane_close(mapped);
    if (!is_answered) return failed("may_contain");
    printf("from the file: alice %s, mallory %s\n", alice ? "may be there" : "is not there",
           mallory ? "may be there" : "is not there");
    return alice ? 0 : 1;
}

static int play(membrane_filter* seen, const char* path) {
    bool is_new = false;
    if (membrane_insert_if_absent(seen, "alice", 5, &is_new) != MEMBRANE_OK)
        return failed("insert_if_absent");
    printf("alice %s\n", is_new ? "is new" : "was there");

    /* A thousand integers in one call. */
    uint64_t numbers[1000];
    for (size_t i = 0; i < 1000; ++i) numbers[i] = 7 * i;
    const membrane_keys keys = {MEMBRANE_UNSIGNED, sizeof numbers[0], 1000, numbers, NULL};
    if (membrane_insert_many(seen, &keys, NULL) != MEMBRANE_OK) return failed("insert_many");

    /* Texts by their pointers and lengths. */
    const char* names[] = {"alice", "bob", "carol"};
    const size_t lengths[] = {5, 3, 5};
    const membrane_keys texts = {MEMBRANE_POINTERS, 0, 3, names, lengths};
    bool answers[3];
    if (membrane_may_contain_many(seen, &texts, answers, NULL) != MEMBRANE_OK)
        return failed("may_contain_many");
    for (size_t i = 0; i < 3; ++i) printf("%s: %s\n", names[i], answers[i] ? "maybe" : "no");

    uint64_t bytes = 0;
    if (membrane_size_bytes(seen, &bytes) != MEMBRANE_OK) return failed("size_bytes");
    printf("%.1f bits a key\n", 8 * (double)bytes / 100000);
    if (membrane_save(seen, path, true) != MEMBRANE_OK) return failed("save");
    return answers[0] ? answer_from(path) : 1;
}

int main(int count, char** arguments) {
    const char* const path = count > 1 ? arguments[1] : "/tmp/seen.mbr";
    membrane_filter* seen = NULL;
    if (membrane_create(100000, 0.001, 0, &seen) != MEMBRANE_OK) return failed("create");
    const int code = play(seen, path);
    membrane_close(seen);

    /* Errors are statuses, with a sentence for people. */
    if (membrane_create(100000, 2, 0, &seen) != MEMBRANE_BAD_FIELD) return 1;
    printf("a rate of 2: %s\n", membrane_last_error());
    return code;
}
