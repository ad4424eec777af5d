/* The C interface as a C program sees it: every function, also with wrong arguments. argv[1]: a folder to write to. */
#include <errno.h>
#include <membrane/membrane.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                     \
    do {                                                                                     \
        if (!(condition)) {                                                                  \
            fprintf(stderr, "%s:%d: %s\n  last error: %s\n", __FILE__, __LINE__, #condition, \
                    membrane_last_error());                                                  \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)
#define OK(call) CHECK((call) == MEMBRANE_OK)

static char path[1000], other_path[1000];

static bool has(const membrane_filter* filter, const char* key) {
    bool answer = false;
    OK(membrane_may_contain(filter, key, strlen(key), &answer));
    return answer;
}

static bool has_number(const membrane_filter* filter, uint64_t key) {
    bool answer = false;
    OK(membrane_may_contain_u64(filter, key, &answer));
    return answer;
}

static void fill(membrane_filter* filter, uint64_t first, uint64_t count) {
    uint64_t* const numbers = malloc(count * sizeof *numbers);
    for (uint64_t i = 0; i < count; ++i) numbers[i] = first + i;
    const membrane_keys keys = {MEMBRANE_UNSIGNED, 8, count, numbers, NULL};
    uint64_t done = 0;
    OK(membrane_insert_many(filter, &keys, &done));
    CHECK(done == count);
    free(numbers);
}

/* Every value and every place of a member: programs were compiled with them. */
#define AT(type, member, place, size) \
    CHECK(offsetof(type, member) == (place) && sizeof(((type*)NULL)->member) == (size))
static void layouts(void) {
    static const struct {
        int value, pinned;
    } values[] = {{MEMBRANE_OK, 0},
                  {MEMBRANE_BAD_ARGUMENT, 1},
                  {MEMBRANE_READ_ONLY, 2},
                  {MEMBRANE_INTERNAL, 3},
                  {MEMBRANE_NOT_A_MEMBRANE_FILE, 10},
                  {MEMBRANE_TRUNCATED, 11},
                  {MEMBRANE_TRAILING_BYTES, 12},
                  {MEMBRANE_BAD_HEADER_CHECKSUM, 13},
                  {MEMBRANE_BAD_PAYLOAD_CHECKSUM, 14},
                  {MEMBRANE_UNKNOWN_VERSION, 15},
                  {MEMBRANE_UNKNOWN_KIND, 16},
                  {MEMBRANE_UNKNOWN_HASH, 17},
                  {MEMBRANE_UNKNOWN_FLAG, 18},
                  {MEMBRANE_RESERVED_NOT_ZERO, 19},
                  {MEMBRANE_BAD_FIELD, 20},
                  {MEMBRANE_BAD_PAYLOAD, 21},
                  {MEMBRANE_SIZE_OVERFLOW, 22},
                  {MEMBRANE_TOO_LARGE, 23},
                  {MEMBRANE_OUT_OF_MEMORY, 24},
                  {MEMBRANE_SPEC_MISMATCH, 25},
                  {MEMBRANE_NOT_SUPPORTED, 26},
                  {MEMBRANE_FULL, 27},
                  {MEMBRANE_COUNTER_OVERFLOW, 28},
                  {MEMBRANE_IO_ERROR, 29},
                  {MEMBRANE_ALREADY_EXISTS, 30},
                  {MEMBRANE_ERASE, 1},
                  {MEMBRANE_COUNT, 2},
                  {MEMBRANE_MERGE, 4},
                  {MEMBRANE_INTERSECT, 8},
                  {MEMBRANE_FOLD, 16},
                  {MEMBRANE_GROW, 32},
                  {MEMBRANE_FIXED, 64},
                  {MEMBRANE_STATIC, 128},
                  {MEMBRANE_POINTERS, 1},
                  {MEMBRANE_OFFSETS32, 2},
                  {MEMBRANE_OFFSETS64, 3},
                  {MEMBRANE_BYTES, 4},
                  {MEMBRANE_PADDED, 5},
                  {MEMBRANE_UNSIGNED, 6},
                  {MEMBRANE_SIGNED, 7},
                  {MEMBRANE_HASHES, 8}};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) CHECK(values[i].value == values[i].pinned);
    CHECK(sizeof(membrane_status) == 4 && sizeof(membrane_form) == 4 && sizeof(bool) == 1);
    CHECK(sizeof(membrane_request) == 96);
    AT(membrane_request, struct_bytes, 0, 8);
    AT(membrane_request, keys, 8, 8);
    AT(membrane_request, fpr, 16, 8);
    AT(membrane_request, bits_per_key, 24, 8);
    AT(membrane_request, max_bytes, 32, 8);
    AT(membrane_request, reads, 40, 8);
    AT(membrane_request, worst_reads, 48, 8);
    AT(membrane_request, grow_to, 56, 8);
    AT(membrane_request, needs, 64, 8);
    AT(membrane_request, kind, 72, 8);
    AT(membrane_request, hash, 80, 8);
    AT(membrane_request, hash_key, 88, 8);
    CHECK(sizeof(membrane_counter_request) == 56);
    AT(membrane_counter_request, struct_bytes, 0, 8);
    AT(membrane_counter_request, error, 8, 8);
    AT(membrane_counter_request, failure, 16, 8);
    AT(membrane_counter_request, top, 24, 8);
    AT(membrane_counter_request, top_key_bytes, 32, 8);
    AT(membrane_counter_request, hash, 40, 8);
    AT(membrane_counter_request, hash_key, 48, 8);
    CHECK(sizeof(membrane_keys) == 32);
    AT(membrane_keys, form, 0, 4);
    AT(membrane_keys, width, 4, 4);
    AT(membrane_keys, count, 8, 8);
    AT(membrane_keys, data, 16, 8);
    AT(membrane_keys, places, 24, 8);
    CHECK(sizeof(membrane_hash) == 16);
    AT(membrane_hash, low, 0, 8);
    AT(membrane_hash, high, 8, 8);
    CHECK(sizeof(membrane_counted_key) == 32);
    AT(membrane_counted_key, key, 0, 8);
    AT(membrane_counted_key, length, 8, 8);
    AT(membrane_counted_key, key_bytes, 16, 8);
    AT(membrane_counted_key, count, 24, 8);
    CHECK(strchr(membrane_version(), '.') != NULL);
}

static void single_keys(void) {
    membrane_filter* f = NULL;
    OK(membrane_create(1000, 0.001, MEMBRANE_ERASE, &f));
    bool answer = false;
    OK(membrane_insert(f, "alice", 5));
    OK(membrane_insert(f, NULL, 0)); /* the empty key */
    OK(membrane_insert_u64(f, 42));
    CHECK(has(f, "alice") && has(f, "") && has_number(f, 42));
    OK(membrane_insert_if_absent(f, "bob", 3, &answer));
    CHECK(answer);
    OK(membrane_insert_if_absent(f, "bob", 3, &answer));
    CHECK(!answer);
    OK(membrane_insert_if_absent_u64(f, 43, &answer));
    CHECK(answer);
    uint64_t count = 0;
    OK(membrane_insert(f, "bob", 3));
    OK(membrane_count(f, "bob", 3, &count));
    CHECK(count == 2);
    OK(membrane_count_u64(f, 42, &count));
    CHECK(count == 1);
    OK(membrane_insertions(f, &count));
    CHECK(count == 6);
    OK(membrane_erase(f, "bob", 3, &answer));
    CHECK(answer);
    OK(membrane_erase(f, "bob", 3, NULL));
    OK(membrane_erase(f, "bob", 3, &answer));
    CHECK(!answer && !has(f, "bob"));
    OK(membrane_erase_u64(f, 42, &answer));
    CHECK(answer && !has_number(f, 42));
    const char* kind = NULL;
    OK(membrane_kind(f, &kind));
    CHECK(strcmp(kind, "balanced_rank") == 0);
    uint64_t abilities = 0, bytes = 0;
    OK(membrane_abilities(f, &abilities));
    CHECK((abilities & (MEMBRANE_ERASE | MEMBRANE_COUNT | MEMBRANE_MERGE | MEMBRANE_GROW)) ==
          (MEMBRANE_ERASE | MEMBRANE_COUNT | MEMBRANE_MERGE | MEMBRANE_GROW));
    OK(membrane_size_bytes(f, &bytes));
    CHECK(bytes > 1000 && bytes < 10000);
    double estimate = 0;
    OK(membrane_estimated_keys(f, &estimate));
    CHECK(estimate > 2.5 && estimate < 3.5);
    OK(membrane_estimated_fpr(f, &estimate));
    CHECK(estimate > 0 && estimate < 0.001);
    OK(membrane_is_mapped(f, &answer));
    CHECK(!answer);
    OK(membrane_clear(f));
    CHECK(!has(f, "alice"));
    membrane_close(f);
}

static void batches(void) {
    membrane_request request = MEMBRANE_REQUEST_INIT;
    request.keys = 10000;
    request.fpr = 1e-6;
    request.needs = MEMBRANE_ERASE;
    membrane_filter* f = NULL;
    OK(membrane_create_from(&request, &f));
    bool answers[4];
    uint64_t number = 0;

    const char* const texts[] = {"ann", "bob", "", "carol\0x"};
    const size_t lengths[] = {3, 3, 0, 7};
    const membrane_keys pointers = {MEMBRANE_POINTERS, 0, 4, texts, lengths};
    OK(membrane_insert_many(f, &pointers, &number));
    CHECK(number == 4);
    const int32_t offsets32[] = {1, 4, 7, 7, 14};
    const membrane_keys arrow = {MEMBRANE_OFFSETS32, 0, 4, "-annbobcarol\0x", offsets32};
    OK(membrane_may_contain_many(f, &arrow, answers, &number));
    CHECK(number == 4 && answers[0] && answers[1] && answers[2] && answers[3]);
    const int64_t offsets64[] = {0, 3, 6, 6};
    const membrane_keys large = {MEMBRANE_OFFSETS64, 0, 3, "annbob", offsets64};
    OK(membrane_may_contain_many(f, &large, NULL, &number));
    CHECK(number == 3);
    const membrane_keys padded = {MEMBRANE_PADDED, 4, 3, "ann\0bob\0\0\0\0\0", NULL};
    OK(membrane_may_contain_many(f, &padded, answers, NULL));
    CHECK(answers[0] && answers[1] && answers[2]);
    const membrane_keys exact = {MEMBRANE_BYTES, 4, 3, "ann\0bob\0\0\0\0\0", NULL};
    OK(membrane_may_contain_many(f, &exact, answers, &number));
    CHECK(number == 0);
    const membrane_keys empty = {MEMBRANE_BYTES, 0, 2, NULL, NULL};
    OK(membrane_may_contain_many(f, &empty, answers, &number));
    CHECK(number == 2);

    /* Equal values are equal keys, whatever the width and the sign. */
    const int8_t small[] = {-1, 5};
    const int32_t medium[] = {-1, 5};
    const uint16_t plain[] = {65535, 5};
    const membrane_keys signed8 = {MEMBRANE_SIGNED, 1, 2, small, NULL};
    const membrane_keys signed32 = {MEMBRANE_SIGNED, 4, 2, medium, NULL};
    const membrane_keys unsigned16 = {MEMBRANE_UNSIGNED, 2, 2, plain, NULL};
    bool are_new[2];
    OK(membrane_insert_many_if_absent(f, &signed8, are_new, &number));
    CHECK(number == 2 && are_new[0] && are_new[1]);
    OK(membrane_may_contain_many(f, &signed32, answers, &number));
    CHECK(number == 2);
    CHECK(has_number(f, (uint64_t)-1) && has_number(f, 5));
    OK(membrane_insert_many_if_absent(f, &unsigned16, are_new, NULL));
    CHECK(are_new[0] && !are_new[1]);

    membrane_hash hashes[2], hash;
    OK(membrane_hash_many(f, &signed32, hashes));
    OK(membrane_hash_of_u64(f, 5, &hash));
    CHECK(hashes[1].low == hash.low && hashes[1].high == hash.high);
    OK(membrane_hash_of(f, "ann", 3, &hash));
    const membrane_keys by_hash = {MEMBRANE_HASHES, 0, 2, hashes, NULL};
    OK(membrane_may_contain_many(f, &by_hash, answers, &number));
    CHECK(number == 2);
    hashes[0] = hash;
    membrane_hash pair, swapped;
    OK(membrane_hash_of_parts(f, hashes, 2, &pair));
    hash = hashes[0], hashes[0] = hashes[1], hashes[1] = hash;
    OK(membrane_hash_of_parts(f, hashes, 2, &swapped));
    CHECK(pair.low != swapped.low);

    uint64_t counts[4];
    OK(membrane_insert(f, "ann", 3));
    OK(membrane_count_many(f, &pointers, counts));
    CHECK(counts[0] == 2 && counts[1] == 1 && counts[3] == 1);
    OK(membrane_erase_many(f, &pointers, &number));
    CHECK(number == 4 && has(f, "ann") && !has(f, "bob"));

    const int32_t falling[] = {0, 3, 2};
    const membrane_keys bad_offsets = {MEMBRANE_OFFSETS32, 0, 2, "abc", falling};
    CHECK(membrane_insert_many(f, &bad_offsets, NULL) == MEMBRANE_BAD_ARGUMENT);
    const membrane_keys bad_width = {MEMBRANE_UNSIGNED, 3, 1, falling, NULL};
    CHECK(membrane_insert_many(f, &bad_width, NULL) == MEMBRANE_BAD_ARGUMENT);
    const membrane_keys bad_form = {99, 0, 1, falling, NULL};
    CHECK(membrane_insert_many(f, &bad_form, NULL) == MEMBRANE_BAD_ARGUMENT);
    const membrane_keys no_data = {MEMBRANE_UNSIGNED, 8, 1, NULL, NULL};
    CHECK(membrane_may_contain_many(f, &no_data, NULL, NULL) == MEMBRANE_BAD_ARGUMENT);
    CHECK(membrane_may_contain_many(f, NULL, NULL, NULL) == MEMBRANE_BAD_ARGUMENT);
    membrane_close(f);
}

static void whole_filters(void) {
    membrane_filter *a = NULL, *b = NULL, *copy = NULL, *stranger = NULL;
    OK(membrane_create(1000, 0.001, 0, &a));
    OK(membrane_create_like(a, &b));
    fill(a, 0, 20000); /* 20 times the plan: it grows */
    fill(b, 20000, 100);
    uint64_t before = 0, after = 0;
    bool equal = false;
    OK(membrane_copy(a, &copy));
    OK(membrane_is_equal(a, copy, &equal));
    CHECK(equal);
    OK(membrane_merge(a, b));
    CHECK(has_number(a, 19999) && has_number(a, 20099));
    OK(membrane_is_equal(a, copy, &equal));
    CHECK(!equal);
    OK(membrane_create(1000, 0.001, 0, &stranger));
    CHECK(membrane_merge(a, stranger) == MEMBRANE_SPEC_MISMATCH);

    void *bytes = NULL, *packed = NULL;
    size_t length = 0, packed_length = 0;
    OK(membrane_diff(copy, a, &bytes, &length));
    membrane_filter* patched = NULL;
    OK(membrane_patch(copy, bytes, length, 0, &patched));
    OK(membrane_is_equal(a, patched, &equal));
    CHECK(equal);
    membrane_filter* nothing = NULL;
    CHECK(membrane_patch(a, bytes, length, 0, &nothing) != MEMBRANE_OK && nothing == NULL);
    membrane_free(bytes);
    membrane_close(patched);

    OK(membrane_size_bytes(a, &before));
    OK(membrane_grow(a, 200000));
    OK(membrane_size_bytes(a, &after));
    CHECK(after > 5 * before);
    OK(membrane_shrink(a));
    OK(membrane_size_bytes(a, &after));
    CHECK(after <= before);
    OK(membrane_lower_rate(a, 0.05, &before));
    CHECK(has_number(a, 12345));

    OK(membrane_to_bytes(a, &bytes, &length));
    OK(membrane_pack(a, &packed, &packed_length));
    CHECK(packed_length < length);
    membrane_close(copy);
    OK(membrane_unpack(packed, packed_length, 0, &copy));
    OK(membrane_is_equal(a, copy, &equal));
    CHECK(equal);
    CHECK(membrane_unpack(packed, packed_length, 1000, &nothing) == MEMBRANE_TOO_LARGE);
    membrane_close(copy);
    OK(membrane_from_bytes(bytes, length, &copy));
    OK(membrane_is_equal(a, copy, &equal));
    CHECK(equal);
    ((char*)bytes)[length - 1] ^= 1;
    CHECK(membrane_from_bytes(bytes, length, &nothing) == MEMBRANE_BAD_PAYLOAD_CHECKSUM);
    CHECK(membrane_from_bytes(bytes, 10, &nothing) != MEMBRANE_OK);
    membrane_free(packed);
    membrane_free(bytes);

    /* Of kinds that intersect. */
    membrane_filter *left = NULL, *right = NULL;
    membrane_request request = MEMBRANE_REQUEST_INIT;
    const uint8_t key[16] = {1, 2, 3};
    request.keys = 1000;
    request.kind = "bloom:k=7";
    request.hash = "xxh3";
    request.hash_key = key;
    OK(membrane_create_from(&request, &left));
    OK(membrane_create_from(&request, &right));
    OK(membrane_insert(left, "x", 1));
    OK(membrane_insert(left, "y", 1));
    OK(membrane_insert(right, "y", 1));
    OK(membrane_intersect(left, right));
    CHECK(has(left, "y") && !has(left, "x"));
    CHECK(membrane_erase(left, "y", 1, NULL) == MEMBRANE_NOT_SUPPORTED);
    CHECK(membrane_intersect(a, b) == MEMBRANE_NOT_SUPPORTED);
    membrane_close(left);
    membrane_close(right);
    membrane_close(stranger);
    membrane_close(copy);
    membrane_close(a);
    membrane_close(b);
}

static void files(void) {
    membrane_filter *f = NULL, *mapped = NULL, *copy = NULL;
    OK(membrane_create(1000, 1e-9, 0, &f)); /* "x" is none of its keys */
    fill(f, 0, 1000);
    OK(membrane_save(f, path, true));
    CHECK(membrane_save(f, path, false) == MEMBRANE_ALREADY_EXISTS && membrane_last_errno() == EEXIST);
    CHECK(strstr(membrane_last_error(), path) != NULL);
    OK(membrane_map(path, true, &mapped));
    CHECK(has_number(mapped, 999));
    bool answer = false;
    OK(membrane_is_mapped(mapped, &answer));
    CHECK(answer);
    CHECK(membrane_insert(mapped, "x", 1) == MEMBRANE_READ_ONLY);
    CHECK(membrane_clear(mapped) == MEMBRANE_READ_ONLY && membrane_merge(mapped, f) == MEMBRANE_READ_ONLY);
    OK(membrane_copy(mapped, &copy));
    OK(membrane_is_equal(mapped, copy, &answer));
    CHECK(answer);
    OK(membrane_insert(copy, "x", 1));
    OK(membrane_is_equal(copy, mapped, &answer));
    CHECK(!answer);
    OK(membrane_merge(copy, mapped));
    void* bytes = NULL;
    size_t length = 0;
    OK(membrane_to_bytes(mapped, &bytes, &length));
    membrane_close(copy);
    OK(membrane_from_bytes(bytes, length, &copy));
    OK(membrane_is_equal(copy, f, &answer));
    CHECK(answer);
    membrane_free(bytes);
    membrane_close(copy);
    OK(membrane_open(path, &copy));
    OK(membrane_insert(copy, "x", 1));
    OK(membrane_save(copy, other_path, true));

    char* text = NULL;
    OK(membrane_info(mapped, false, &text));
    CHECK(strstr(text, path) != NULL && strstr(text, "\"keys\": 1000,") != NULL &&
          strstr(text, "hash_key") == NULL);
    membrane_free(text);
    OK(membrane_info(f, true, &text));
    CHECK(strstr(text, "\"file\": null") != NULL && strstr(text, "hash_key") != NULL);
    membrane_free(text);
    membrane_close(mapped);
    membrane_close(copy);
    membrane_close(f);

    f = NULL;
    CHECK(membrane_open("/nowhere/x.mbr", &f) == MEMBRANE_IO_ERROR && membrane_last_errno() == ENOENT &&
          f == NULL);
    CHECK(membrane_map("/dev/null", true, &f) != MEMBRANE_OK && f == NULL);
}

static void planner(void) {
    membrane_request request = MEMBRANE_REQUEST_INIT;
    char* text = NULL;
    CHECK(membrane_plan(&request, &text) == MEMBRANE_BAD_FIELD && text == NULL);
    request.keys = 1000000;
    request.fpr = 0.001;
    OK(membrane_plan(&request, &text));
    CHECK(strstr(text, "\"chosen\": \"balanced_rank\"") != NULL);
    membrane_free(text);
    request.kind = "bloom:k=8";
    OK(membrane_plan(&request, &text));
    CHECK(strstr(text, "--kind bloom:k=8") != NULL);
    membrane_free(text);

    membrane_filter* f = NULL;
    request.kind = "blom";
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_UNKNOWN_KIND &&
          strstr(membrane_last_error(), "blocked_bloom"));
    request.kind = "bloom:q=8";
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_BAD_FIELD && strstr(membrane_last_error(), "'q'"));
    request.kind = "bloom:k=1000";
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_BAD_FIELD);
    request.kind = NULL;
    request.hash = "md5";
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_UNKNOWN_HASH);
    CHECK(strstr(membrane_last_error(), "(expected siphash13, xxh3, fold)") != NULL);
    /* Known, of files that exist. */
    request.hash = "mix";
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_UNKNOWN_HASH);
    request.hash = "precomputed";
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_UNKNOWN_HASH);
    CHECK(strstr(membrane_last_error(), "not for new filters: 'precomputed'") != NULL);
    request.hash = "siphash13";
    OK(membrane_create_from(&request, &f));
    char* info = NULL;
    OK(membrane_info(f, false, &info));
    CHECK(strstr(info, "\"siphash13\"") != NULL);
    membrane_free(info);
    membrane_close(f);
    f = NULL;
    request.hash = NULL;
    request.max_bytes = 1000;
    request.kind = "blocked_bloom";
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_TOO_LARGE);
    /* Without a number of keys: as many as fit. */
    uint64_t size = 0;
    request.keys = 0;
    request.max_bytes = 1000000;
    OK(membrane_create_from(&request, &f));
    OK(membrane_size_bytes(f, &size));
    CHECK(size > 990000 && size <= 1000000);
    membrane_close(f);
    f = NULL;
    request.keys = 1000000;
    request.kind = NULL;
    request.max_bytes = 0;
    request.needs = 1 << 20;
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_BAD_ARGUMENT);
    request.needs = MEMBRANE_ERASE;
    request.kind = "blocked_bloom";
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_NOT_SUPPORTED);
    CHECK(strstr(membrane_last_error(), "kind and erase") != NULL);
    request.needs = 0;
    request.grow_to = 2000000;
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_NOT_SUPPORTED);
    CHECK(strstr(membrane_last_error(), "kind and grow_to") != NULL);
    request.kind = NULL;
    request.needs = MEMBRANE_FIXED;
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_BAD_FIELD);
    CHECK(strstr(membrane_last_error(), "fixed and grow_to") != NULL);
    CHECK(membrane_plan(&request, &text) == MEMBRANE_BAD_FIELD);
    request.needs = 0;
    request.grow_to = 999999;
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_BAD_FIELD);
    CHECK(strstr(membrane_last_error(), "grow_to") != NULL && strstr(membrane_last_error(), "keys") != NULL);
    request.grow_to = 0;
    request.needs = MEMBRANE_ERASE;
    request.struct_bytes = 8;
    CHECK(membrane_create_from(&request, &f) == MEMBRANE_BAD_ARGUMENT);
    /* A later, larger struct is taken as long as what is new in it is zero. */
    struct {
        membrane_request known;
        uint64_t unknown;
    } later = {MEMBRANE_REQUEST_INIT, 0};
    later.known.struct_bytes = sizeof later;
    later.known.keys = 10;
    OK(membrane_create_from(&later.known, &f));
    membrane_close(f);
    later.unknown = 1;
    f = NULL;
    CHECK(membrane_create_from(&later.known, &f) == MEMBRANE_BAD_ARGUMENT && f == NULL);
    CHECK(membrane_create(1000, 0, 0, &f) == MEMBRANE_BAD_FIELD);
    CHECK(membrane_create(1000, 1.5, 0, &f) == MEMBRANE_BAD_FIELD);
    CHECK(membrane_create(1000, 0.1, 0, NULL) == MEMBRANE_BAD_ARGUMENT);
    request.struct_bytes = sizeof request;
    request.needs = MEMBRANE_FIXED | MEMBRANE_INTERSECT;
    OK(membrane_create_from(&request, &f));
    uint64_t abilities = 0;
    OK(membrane_abilities(f, &abilities));
    CHECK((abilities & MEMBRANE_INTERSECT) != 0);
    membrane_close(f);
}

static void counters(void) {
    membrane_filter *a = NULL, *b = NULL, *c = NULL;
    OK(membrane_create_counter(0.001, 0.001, 3, 8, &a));
    OK(membrane_create_like(a, &b));
    for (int i = 0; i < 100; ++i) OK(membrane_insert(a, "often", 5));
    OK(membrane_add(a, "a very long key", 15, 50));
    OK(membrane_add_u64(a, 7, 60));
    OK(membrane_add(b, "often", 5, 10));
    OK(membrane_add(b, "new", 3, 1000));
    OK(membrane_merge(a, b));
    uint64_t count = 0;
    OK(membrane_count(a, "often", 5, &count));
    CHECK(count == 110);
    const uint64_t sevens[] = {7, 7, 7};
    const membrane_keys keys = {MEMBRANE_UNSIGNED, 8, 3, sevens, NULL};
    OK(membrane_insert_many(a, &keys, &count));
    CHECK(count == 3);
    const membrane_hash hash = {1, 2};
    const membrane_keys hashes = {MEMBRANE_HASHES, 0, 1, &hash, NULL};
    CHECK(membrane_insert_many(a, &hashes, NULL) == MEMBRANE_BAD_ARGUMENT);
    OK(membrane_save(a, path, true));
    OK(membrane_map(path, true, &c));
    const membrane_filter* const both[] = {a, c};
    for (int i = 0; i < 2; ++i) {
        membrane_counted_key* top = NULL;
        size_t found = 0;
        OK(membrane_top(both[i], 10, &top, &found));
        CHECK(found == 3);
        CHECK(strcmp(top[0].key, "new") == 0 && top[0].count == 1000);
        CHECK(top[1].length == 5 && strcmp(top[1].key, "often") == 0 && top[1].count == 110);
        CHECK(top[2].length == 8 && memcmp(top[2].key, "\7\0\0\0\0\0\0\0", 8) == 0 && top[2].count == 63);
        membrane_free(top);
        OK(membrane_top(both[i], 1, &top, &found));
        CHECK(found == 1);
        membrane_free(top);
    }
    /* Of a hash and a hash key that the caller chooses. */
    const uint8_t key[16] = {1, 2, 3};
    membrane_counter_request request = MEMBRANE_COUNTER_REQUEST_INIT;
    request.hash = "siphash13";
    request.hash_key = key;
    membrane_filter *one = NULL, *two = NULL;
    OK(membrane_create_counter_from(&request, &one));
    OK(membrane_create_counter_from(&request, &two));
    OK(membrane_add(one, "x", 1, 2));
    OK(membrane_add(two, "x", 1, 3));
    OK(membrane_merge(one, two));
    OK(membrane_count(one, "x", 1, &count));
    CHECK(count == 5);
    CHECK(membrane_merge(one, a) == MEMBRANE_SPEC_MISMATCH);
    membrane_close(one);
    membrane_close(two);
    one = NULL;
    request.hash = "mix";
    CHECK(membrane_create_counter_from(&request, &one) == MEMBRANE_UNKNOWN_HASH && one == NULL);
    request.hash = NULL;
    request.error = 2;
    CHECK(membrane_create_counter_from(&request, &one) == MEMBRANE_BAD_FIELD && one == NULL);
    request.struct_bytes = 16;
    CHECK(membrane_create_counter_from(&request, &one) == MEMBRANE_BAD_ARGUMENT && one == NULL);
    CHECK(membrane_create_counter_from(NULL, &one) == MEMBRANE_BAD_ARGUMENT);

    OK(membrane_clear(a));
    membrane_counted_key* none = NULL;
    size_t found = 1;
    OK(membrane_top(a, 10, &none, &found));
    CHECK(found == 0);
    membrane_free(none);
    membrane_close(a);
    OK(membrane_create(10, 0.1, 0, &a));
    CHECK(membrane_top(a, 10, &none, &found) == MEMBRANE_NOT_SUPPORTED);
    CHECK(membrane_add(a, "x", 1, 2) == MEMBRANE_NOT_SUPPORTED);
    membrane_close(a);
    membrane_close(b);
    membrane_close(c);
    membrane_close(NULL);
    membrane_free(NULL);
}

int main(int count, char** arguments) {
    if (count != 2) return 2;
    snprintf(path, sizeof path, "%s/c_interface.mbr", arguments[1]);
    snprintf(other_path, sizeof other_path, "%s/c_interface_2.mbr", arguments[1]);
    layouts();
    single_keys();
    batches();
    whole_filters();
    files();
    planner();
    counters();
    remove(path);
    remove(other_path);
    return 0;
}
