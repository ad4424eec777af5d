/* The C interface of membrane: filters that answer whether a key was seen, from a few bits per key. Link libmembrane.so (-lmembrane).
 *
 *     membrane_filter* seen = NULL;
 *     if (membrane_create(1000000, 0.001, 0, &seen) != MEMBRANE_OK) { puts(membrane_last_error()); return 1; }
 *     bool is_new;
 *     membrane_insert_if_absent(seen, "alice", 5, &is_new);
 *     membrane_close(seen);
 *
 * Every function that can fail returns a membrane_status; membrane_last_error() is then the sentence for people. A call that failed has
 * changed nothing, but for a batch: the keys before the refused one are stored, and `done` says how many. Results are written only on
 * success. Pointers to results may be NULL where the description says so.
 *
 * A key is bytes (for text its UTF-8 bytes, without a zero at the end) or a 64-bit integer; doc/keys.md says how keys of other languages
 * become bytes. Signed integers are passed as uint64_t by a cast, so that equal values are equal keys.
 *
 * Threads: any number of them may call functions that take a const filter at the same time; a call that takes the filter without const
 * runs alone. membrane_last_error() and membrane_last_errno() are those of the calling thread.
 *
 * Stability: functions, values and layouts of this file do not change; new functions come with a new symbol version (src/c/exports.map).
 * Structs that may grow begin with their size. */
#ifndef MEMBRANE_MEMBRANE_H
#define MEMBRANE_MEMBRANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define MEMBRANE_NOEXCEPT noexcept
#else
#define MEMBRANE_NOEXCEPT
#endif
#define MEMBRANE_C_API __attribute__((visibility("default")))

/* ---- Errors */

typedef enum membrane_status {
    MEMBRANE_OK = 0,
    MEMBRANE_BAD_ARGUMENT = 1, /* a pointer is NULL, or a value is none that the function takes */
    MEMBRANE_READ_ONLY = 2,    /* the filter is a mapped file */
    MEMBRANE_INTERNAL = 3,     /* an error that should not occur; please report it */
    MEMBRANE_NOT_A_MEMBRANE_FILE = 10,
    MEMBRANE_TRUNCATED = 11,
    MEMBRANE_TRAILING_BYTES = 12,
    MEMBRANE_BAD_HEADER_CHECKSUM = 13,
    MEMBRANE_BAD_PAYLOAD_CHECKSUM = 14,
    MEMBRANE_UNKNOWN_VERSION = 15, /* written by a newer release */
    MEMBRANE_UNKNOWN_KIND = 16,
    MEMBRANE_UNKNOWN_HASH = 17,
    MEMBRANE_UNKNOWN_FLAG = 18,
    MEMBRANE_RESERVED_NOT_ZERO = 19,
    MEMBRANE_BAD_FIELD = 20, /* a parameter is out of its range */
    MEMBRANE_BAD_PAYLOAD = 21,
    MEMBRANE_SIZE_OVERFLOW = 22,
    MEMBRANE_TOO_LARGE = 23, /* larger than max_bytes allows */
    MEMBRANE_OUT_OF_MEMORY = 24,
    MEMBRANE_SPEC_MISMATCH = 25, /* two filters differ in what must be equal, for example their hash keys */
    MEMBRANE_NOT_SUPPORTED = 26, /* filters of this kind cannot do that */
    MEMBRANE_FULL = 27,
    MEMBRANE_COUNTER_OVERFLOW = 28,
    MEMBRANE_IO_ERROR = 29,      /* membrane_last_errno() says why */
    MEMBRANE_ALREADY_EXISTS = 30 /* the file exists and was not to be replaced */
} membrane_status;

/* About the last call of this thread that failed. Never NULL; valid until the thread's next failing call. */
MEMBRANE_C_API const char* membrane_last_error(void) MEMBRANE_NOEXCEPT;
/* Of MEMBRANE_IO_ERROR and MEMBRANE_ALREADY_EXISTS; otherwise 0. */
MEMBRANE_C_API int membrane_last_errno(void) MEMBRANE_NOEXCEPT;
/* "0.1.0" */
MEMBRANE_C_API const char* membrane_version(void) MEMBRANE_NOEXCEPT;
/* Frees bytes and texts that a function of this library returned; NULL is allowed. */
MEMBRANE_C_API void membrane_free(void* memory) MEMBRANE_NOEXCEPT;

/* ---- Creating filters */

typedef struct membrane_filter membrane_filter;

/* What a filter must be able to do. Filters with neither MEMBRANE_FIXED nor a kind of their own grow with their keys. */
enum {
    MEMBRANE_ERASE = 1,
    MEMBRANE_COUNT = 2, /* how often a key was inserted */
    MEMBRANE_MERGE = 4,
    MEMBRANE_INTERSECT = 8,
    MEMBRANE_FOLD = 16,
    MEMBRANE_GROW = 32,
    MEMBRANE_FIXED = 64,  /* no more keys than planned are added: fewer bits, or faster */
    MEMBRANE_STATIC = 128 /* all keys are known in advance */
};

/* 0 and NULL mean: not asked for. Begin with MEMBRANE_REQUEST_INIT. */
typedef struct membrane_request {
    size_t struct_bytes; /* sizeof(membrane_request) */
    uint64_t keys;       /* 0 with max_bytes: as many as fit */
    double fpr;          /* false positive rate; 0.01 if bits_per_key and max_bytes are 0 too */
    double bits_per_key; /* instead of fpr */
    uint64_t max_bytes;  /* of the file: a filter that would need more is refused, also when it grows */
    double reads;        /* cache lines of a lookup of an absent key, at most: on average ... */
    double worst_reads;  /* ... and at worst */
    uint64_t
        grow_to;    /* up to how many keys the rate is kept; not fewer than `keys`; not with MEMBRANE_FIXED */
    uint64_t needs; /* the values above, added */
    /* "blocked_bloom", "bloom:k=5": `membrane kinds` lists them; a kind that cannot what `needs` says is refused. NULL: the library
     * chooses. */
    const char* kind;
    /* "fold" (what NULL means): text and bytes resist chosen keys, integers are fast and do not. "siphash13": integers resist too; take it
     * where others can choose integers. "xxh3": fast for long keys, resists nothing. */
    const char* hash;
    /* 16 bytes. NULL: random. Filters to be merged have equal ones: see membrane_create_like. */
    const uint8_t* hash_key;
} membrane_request;
#define MEMBRANE_REQUEST_INIT \
    { sizeof(membrane_request), 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL }

/* `needs`: 0, or the values above, added. */
MEMBRANE_C_API membrane_status membrane_create(uint64_t keys, double fpr, uint64_t needs,
                                               membrane_filter** made) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_create_from(const membrane_request* request,
                                                    membrane_filter** made) MEMBRANE_NOEXCEPT;
/* An empty filter of the same parameters and hash key, which can be merged with `other`. */
MEMBRANE_C_API membrane_status membrane_create_like(const membrane_filter* other,
                                                    membrane_filter** made) MEMBRANE_NOEXCEPT;
/* Also of a mapped filter: the copy is in memory and can be changed. */
MEMBRANE_C_API membrane_status membrane_copy(const membrane_filter* other,
                                             membrane_filter** made) MEMBRANE_NOEXCEPT;
/* Frees the filter, or unmaps its file; NULL is allowed. */
MEMBRANE_C_API void membrane_close(membrane_filter* filter) MEMBRANE_NOEXCEPT;

/* Which filters fit a request and what they cost: the JSON of `membrane plan --json` (doc/json.md). `hash` and `hash_key` do not
 * matter. Free the text with membrane_free. The JSON library ends the process if memory runs out while it releases the text: a program
 * that goes on without memory must not call this or membrane_info. */
MEMBRANE_C_API membrane_status membrane_plan(const membrane_request* request, char** json) MEMBRANE_NOEXCEPT;

/* ---- Single keys */

MEMBRANE_C_API membrane_status membrane_insert(membrane_filter* filter, const void* key,
                                               size_t length) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_insert_u64(membrane_filter* filter, uint64_t key) MEMBRANE_NOEXCEPT;
/* `is_new`: the key looked absent and is now stored. */
MEMBRANE_C_API membrane_status membrane_insert_if_absent(membrane_filter* filter, const void* key,
                                                         size_t length, bool* is_new) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_insert_if_absent_u64(membrane_filter* filter, uint64_t key,
                                                             bool* is_new) MEMBRANE_NOEXCEPT;
/* `answer` false: the key is certainly not in the filter. True: it is, or this is one of the planned false positives. */
MEMBRANE_C_API membrane_status membrane_may_contain(const membrane_filter* filter, const void* key,
                                                    size_t length, bool* answer) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_may_contain_u64(const membrane_filter* filter, uint64_t key,
                                                        bool* answer) MEMBRANE_NOEXCEPT;
/* Only keys that were inserted. `was_there` (may be NULL) false, and nothing changed: the key is certainly absent. */
MEMBRANE_C_API membrane_status membrane_erase(membrane_filter* filter, const void* key, size_t length,
                                              bool* was_there) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_erase_u64(membrane_filter* filter, uint64_t key,
                                                  bool* was_there) MEMBRANE_NOEXCEPT;
/* At least the number of times that the key was inserted and not erased. */
MEMBRANE_C_API membrane_status membrane_count(const membrane_filter* filter, const void* key, size_t length,
                                              uint64_t* count) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_count_u64(const membrane_filter* filter, uint64_t key,
                                                  uint64_t* count) MEMBRANE_NOEXCEPT;

/* ---- Hashes, for keys of several parts and for keys that several filters with one hash key are asked for */

typedef struct membrane_hash {
    uint64_t low, high;
} membrane_hash;

MEMBRANE_C_API membrane_status membrane_hash_of(const membrane_filter* filter, const void* key, size_t length,
                                                membrane_hash* hash) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_hash_of_u64(const membrane_filter* filter, uint64_t key,
                                                    membrane_hash* hash) MEMBRANE_NOEXCEPT;
/* The key that a tuple of keys is, from the hashes of its parts: as std::tuple in C++. */
MEMBRANE_C_API membrane_status membrane_hash_of_parts(const membrane_filter* filter,
                                                      const membrane_hash* parts, size_t count,
                                                      membrane_hash* hash) MEMBRANE_NOEXCEPT;

/* ---- Batches: the same calls for many keys, several times as fast */

typedef enum membrane_form {
    MEMBRANE_POINTERS = 1, /* data: const void* const[count]; places: size_t[count], the lengths */
    MEMBRANE_OFFSETS32 =
        2, /* data: bytes; places: int32_t[count + 1]: key i is bytes places[i] to places[i + 1] (Arrow) */
    MEMBRANE_OFFSETS64 = 3, /* the same with int64_t */
    MEMBRANE_BYTES = 4,     /* data: `width` bytes for each key */
    MEMBRANE_PADDED = 5,    /* the same without the zeros at the end of each key (numpy's S) */
    MEMBRANE_UNSIGNED = 6,  /* data: integers of `width` bytes, 1, 2, 4 or 8, in the machine's byte order */
    MEMBRANE_SIGNED = 7,
    MEMBRANE_HASHES = 8 /* data: membrane_hash[count], taken as the keys' hashes: both words uniform */
} membrane_form;

typedef struct membrane_keys {
    uint32_t form; /* a membrane_form */
    uint32_t width;
    uint64_t count;
    const void* data;
    const void* places;
} membrane_keys;

/* `done` (may be NULL): how many keys are stored; on an error, those before the refused one. */
MEMBRANE_C_API membrane_status membrane_insert_many(membrane_filter* filter, const membrane_keys* keys,
                                                    uint64_t* done) MEMBRANE_NOEXCEPT;
/* are_new[i] (may be NULL): key i looked absent and is now stored. `new_keys` (may be NULL): how many did. */
MEMBRANE_C_API membrane_status membrane_insert_many_if_absent(membrane_filter* filter,
                                                              const membrane_keys* keys, bool* are_new,
                                                              uint64_t* new_keys) MEMBRANE_NOEXCEPT;
/* answers[i] (may be NULL) is the answer for key i; `present` (may be NULL) counts the true ones. */
MEMBRANE_C_API membrane_status membrane_may_contain_many(const membrane_filter* filter,
                                                         const membrane_keys* keys, bool* answers,
                                                         uint64_t* present) MEMBRANE_NOEXCEPT;
/* Each key once; `erased` (may be NULL): how many were there. */
MEMBRANE_C_API membrane_status membrane_erase_many(membrane_filter* filter, const membrane_keys* keys,
                                                   uint64_t* erased) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_count_many(const membrane_filter* filter, const membrane_keys* keys,
                                                   uint64_t* counts) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_hash_many(const membrane_filter* filter, const membrane_keys* keys,
                                                  membrane_hash* hashes) MEMBRANE_NOEXCEPT;

/* ---- What a filter is and holds */

/* "balanced_rank"; valid as long as the library is loaded. */
MEMBRANE_C_API membrane_status membrane_kind(const membrane_filter* filter,
                                             const char** name) MEMBRANE_NOEXCEPT;
/* Insertions less erasures; of counters the sum of all weights. */
MEMBRANE_C_API membrane_status membrane_insertions(const membrane_filter* filter,
                                                   uint64_t* insertions) MEMBRANE_NOEXCEPT;
/* Of the filter, without the header of its file. */
MEMBRANE_C_API membrane_status membrane_size_bytes(const membrane_filter* filter,
                                                   uint64_t* bytes) MEMBRANE_NOEXCEPT;
/* Estimate of how many different keys it holds. */
MEMBRANE_C_API membrane_status membrane_estimated_keys(const membrane_filter* filter,
                                                       double* keys) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_estimated_fpr(const membrane_filter* filter,
                                                      double* fpr) MEMBRANE_NOEXCEPT;
/* The abilities MEMBRANE_ERASE to MEMBRANE_GROW, added. */
MEMBRANE_C_API membrane_status membrane_abilities(const membrane_filter* filter,
                                                  uint64_t* abilities) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_is_mapped(const membrane_filter* filter,
                                                  bool* answer) MEMBRANE_NOEXCEPT;
/* The JSON of `membrane info --json` (doc/json.md); "file" is null unless the filter is a mapped file. `shows_key`: also the hash key,
 * with which anyone can construct false positives. Free the text with membrane_free. */
MEMBRANE_C_API membrane_status membrane_info(const membrane_filter* filter, bool shows_key,
                                             char** json) MEMBRANE_NOEXCEPT;
/* Equal parameters, hash keys and contents, whatever the order of insertions; of filters that grow, whatever their layouts. */
MEMBRANE_C_API membrane_status membrane_is_equal(const membrane_filter* a, const membrane_filter* b,
                                                 bool* answer) MEMBRANE_NOEXCEPT;

/* ---- Changing the whole filter */

MEMBRANE_C_API membrane_status membrane_clear(membrane_filter* filter) MEMBRANE_NOEXCEPT;
/* Afterwards every key of either filter may be contained. Equal hash keys and parameters; filters that grow take any size. */
MEMBRANE_C_API membrane_status membrane_merge(membrane_filter* filter,
                                              const membrane_filter* other) MEMBRANE_NOEXCEPT;
/* Afterwards every key that was in both may be contained. */
MEMBRANE_C_API membrane_status membrane_intersect(membrane_filter* filter,
                                                  const membrane_filter* other) MEMBRANE_NOEXCEPT;
/* Of filters that grow: room for so many keys in all; the layout for the keys that are there. */
MEMBRANE_C_API membrane_status membrane_grow(membrane_filter* filter, uint64_t keys) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_shrink(membrane_filter* filter) MEMBRANE_NOEXCEPT;
/* The smallest filter whose rate for the present keys stays at or below `fpr`. `steps` (may be NULL): how often it was halved or lost a
 * bit of each key. */
MEMBRANE_C_API membrane_status membrane_lower_rate(membrane_filter* filter, double fpr,
                                                   uint64_t* steps) MEMBRANE_NOEXCEPT;

/* ---- Files and bytes */

/* Reads a file into memory. All bytes are checked. */
MEMBRANE_C_API membrane_status membrane_open(const char* path, membrane_filter** made) MEMBRANE_NOEXCEPT;
/* Answers from the mapped file: nothing is copied, and processes that map one file share its memory. Calls that would change the filter
 * fail with MEMBRANE_READ_ONLY. `checks_payload` false: the payload's checksum is not computed, which reads the whole file. */
MEMBRANE_C_API membrane_status membrane_map(const char* path, bool checks_payload,
                                            membrane_filter** made) MEMBRANE_NOEXCEPT;
/* In one step: after a crash there is the old file or the new one. */
MEMBRANE_C_API membrane_status membrane_save(const membrane_filter* filter, const char* path,
                                             bool replaces) MEMBRANE_NOEXCEPT;
/* The bytes of the file. Free them with membrane_free. */
MEMBRANE_C_API membrane_status membrane_to_bytes(const membrane_filter* filter, void** bytes,
                                                 size_t* length) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_from_bytes(const void* bytes, size_t length,
                                                   membrane_filter** made) MEMBRANE_NOEXCEPT;
/* A shorter form to send, of kinds that have one. Free the bytes with membrane_free. `max_bytes`: of the filter; 0: no limit. */
MEMBRANE_C_API membrane_status membrane_pack(const membrane_filter* filter, void** bytes,
                                             size_t* length) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_unpack(const void* bytes, size_t length, uint64_t max_bytes,
                                               membrane_filter** made) MEMBRANE_NOEXCEPT;
/* The difference of two states of a filter that grows, and the newer one from the older one and the difference. */
MEMBRANE_C_API membrane_status membrane_diff(const membrane_filter* older, const membrane_filter* newer,
                                             void** patch, size_t* length) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_patch(const membrane_filter* older, const void* patch, size_t length,
                                              uint64_t max_bytes, membrane_filter** made) MEMBRANE_NOEXCEPT;

/* ---- Counters (count-min): how often each key came, and the most frequent keys */

/* An estimate is too high by at most `error` times the number of all occurrences, except with a chance of `failure`. The `top` most
 * frequent keys are remembered, with at most `top_key_bytes` bytes of each. membrane_insert counts a key once; membrane_count,
 * membrane_merge, files and bytes are as for filters. */
MEMBRANE_C_API membrane_status membrane_create_counter(double error, double failure, uint64_t top,
                                                       uint64_t top_key_bytes,
                                                       membrane_filter** made) MEMBRANE_NOEXCEPT;
/* The same, with a hash and a hash key as of membrane_request. Begin with MEMBRANE_COUNTER_REQUEST_INIT, whose values they are by default. */
typedef struct membrane_counter_request {
    size_t struct_bytes; /* sizeof(membrane_counter_request) */
    double error;
    double failure;
    uint64_t top;
    uint64_t top_key_bytes;
    const char* hash;
    const uint8_t* hash_key;
} membrane_counter_request;
#define MEMBRANE_COUNTER_REQUEST_INIT \
    { sizeof(membrane_counter_request), 0.001, 0.001, 100, 64, NULL, NULL }
MEMBRANE_C_API membrane_status membrane_create_counter_from(const membrane_counter_request* request,
                                                            membrane_filter** made) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_add(membrane_filter* counter, const void* key, size_t length,
                                            uint64_t weight) MEMBRANE_NOEXCEPT;
MEMBRANE_C_API membrane_status membrane_add_u64(membrane_filter* counter, uint64_t key,
                                                uint64_t weight) MEMBRANE_NOEXCEPT;

typedef struct membrane_counted_key {
    const char* key;    /* its first bytes; integers are 8 bytes, the lowest first. A zero follows. */
    size_t length;      /* of `key` */
    uint64_t key_bytes; /* of the whole key */
    uint64_t count;     /* estimate, never below the truth */
} membrane_counted_key;

/* The most frequent keys, largest count first, at most `most`. Free the one block with membrane_free. */
MEMBRANE_C_API membrane_status membrane_top(const membrane_filter* counter, uint64_t most,
                                            membrane_counted_key** keys, size_t* count) MEMBRANE_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
