// Makes the n-th call of a function of the system fail, to see what a program does then: preloaded before the tool (test/cli/faults.py),
// or linked into a test (test/faults/calls.cpp), which sets the fault itself.
//
//   MEMBRANE_FAULT=malloc:17:ENOMEM   the 17th allocation fails; with 17+ also every one after it
//   MEMBRANE_FAULT=write:2:short      the second write writes half of its bytes
//   MEMBRANE_FAULT_COUNTS=FILE        at the end, FILE gets a line "NAME CALLS" for each function
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum function {
    on_malloc,
    on_mmap,
    on_open,
    on_read,
    on_write,
    on_fsync,
    on_rename,
    on_ftruncate,
    on_connect,
    on_send,
    on_recv,
    functions
};
static const char* const names[functions] = {"malloc", "mmap",      "open",    "read", "write", "fsync",
                                             "rename", "ftruncate", "connect", "send", "recv"};

struct fault {
    enum function function;
    long call;  // counted from 1; 0: none
    int lasts, code, is_short;
};
static struct fault wanted;
static atomic_long calls[functions];
static atomic_int is_read;
static atomic_long blocks;  // allocated and not freed

static int code_of(const char* name) {
    static const struct {
        const char* name;
        int code;
    } codes[] = {{"ENOMEM", ENOMEM},
                 {"ENOSPC", ENOSPC},
                 {"EIO", EIO},
                 {"EINTR", EINTR},
                 {"EACCES", EACCES},
                 {"EMFILE", EMFILE},
                 {"ECONNRESET", ECONNRESET},
                 {"ECONNREFUSED", ECONNREFUSED}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
        if (strcmp(codes[i].name, name) == 0) return codes[i].code;
    return EIO;
}

// For tests that link this file: the `call`-th call from now on. No fault if `call` is 0.
void membrane_fault(const char* function, long call, int lasts, int code) {
    for (int i = 0; i < functions; ++i) {
        atomic_store(&calls[i], 0);
        if (strcmp(names[i], function) == 0) wanted.function = (enum function)i;
    }
    wanted.lasts = lasts;
    wanted.code = code;
    wanted.is_short = 0;
    wanted.call = call;
}
long membrane_blocks(void) { return atomic_load(&blocks); }
long membrane_fault_calls(const char* function) {
    for (int i = 0; i < functions; ++i)
        if (strcmp(names[i], function) == 0) return atomic_load(&calls[i]);
    return -1;
}

static void read_environment(void) {
    if (atomic_exchange(&is_read, 1)) return;
    const char* const text = getenv("MEMBRANE_FAULT");
    char function[16], code[16];
    long call;
    if (text == NULL) return;
    if (sscanf(text, "%15[^:]:%ld:%15s", function, &call, code) == 3) {
        membrane_fault(function, call, 0, code_of(code));
        wanted.is_short = strcmp(code, "short") == 0;
    } else if (sscanf(text, "%15[^:]:%ld+:%15s", function, &call, code) == 3) {
        membrane_fault(function, call, 1, code_of(code));
    }
}

__attribute__((constructor)) static void begin(void) { read_environment(); }

__attribute__((destructor)) static void write_counts(void) {
    const char* const path = getenv("MEMBRANE_FAULT_COUNTS");
    if (path == NULL) return;
    long seen[functions];
    for (int i = 0; i < functions; ++i) seen[i] = atomic_load(&calls[i]);
    wanted.call = 0;
    FILE* const to = fopen(path, "w");
    if (to == NULL) return;
    for (int i = 0; i < functions; ++i) fprintf(to, "%s %ld\n", names[i], seen[i]);
    fclose(to);
}

// Whether this call fails; errno is set then.
static int fails(enum function function) {
    const long call = atomic_fetch_add(&calls[function], 1) + 1;
    if (wanted.call == 0 || wanted.function != function) return 0;
    if (call != wanted.call && !(wanted.lasts && call > wanted.call)) return 0;
    if (!wanted.is_short) errno = wanted.code;
    return 1;
}

#define REAL(name) ((__typeof__(&name))real(#name, &real_##name))
static void* real(const char* name, void* _Atomic* known) {
    void* found = atomic_load(known);
    if (found == NULL) {
        found = dlsym(RTLD_NEXT, name);
        atomic_store(known, found);
    }
    return found;
}

// dlsym may allocate before the real functions are known: from here.
static char early[1 << 16];
static atomic_size_t early_used;
static void* early_bytes(size_t size) {
    const size_t at = atomic_fetch_add(&early_used, (size + 15) / 16 * 16);
    return at + size <= sizeof early ? early + at : NULL;
}
static int is_early(const void* bytes) {
    return (const char*)bytes >= early && (const char*)bytes < early + sizeof early;
}

static void* _Atomic real_malloc;
static void* _Atomic real_calloc;
static void* _Atomic real_realloc;
static void* _Atomic real_free;
static void* _Atomic real_aligned_alloc;
static void* _Atomic real_posix_memalign;
static _Thread_local int is_searching;

static void* searched(const char* name, void* _Atomic* known) {
    if (atomic_load(known) != NULL) return atomic_load(known);
    if (is_searching) return NULL;
    is_searching = 1;
    void* const found = real(name, known);
    is_searching = 0;
    return found;
}

static void* counted(void* made) {
    if (made != NULL) atomic_fetch_add(&blocks, 1);
    return made;
}
void* malloc(size_t size) {
    void* (*const found)(size_t) = searched("malloc", &real_malloc);
    if (found == NULL) return early_bytes(size);
    return fails(on_malloc) ? NULL : counted(found(size));
}
void* calloc(size_t count, size_t size) {
    void* (*const found)(size_t, size_t) = searched("calloc", &real_calloc);
    if (found == NULL) return early_bytes(count * size);
    return fails(on_malloc) ? NULL : counted(found(count, size));
}
void* realloc(void* bytes, size_t size) {
    if (bytes == NULL) return malloc(size);
    if (is_early(bytes)) {
        const size_t rest = (size_t)(early + sizeof early - (char*)bytes);
        void* const made = malloc(size);
        return made == NULL ? NULL : memcpy(made, bytes, size < rest ? size : rest);
    }
    void* (*const found)(void*, size_t) = searched("realloc", &real_realloc);
    return fails(on_malloc) ? NULL : found(bytes, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
    void* (*const found)(size_t, size_t) = searched("aligned_alloc", &real_aligned_alloc);
    return fails(on_malloc) ? NULL : counted(found(alignment, size));
}
int posix_memalign(void** made, size_t alignment, size_t size) {
    int (*const found)(void**, size_t, size_t) = searched("posix_memalign", &real_posix_memalign);
    if (fails(on_malloc)) return ENOMEM;
    const int problem = found(made, alignment, size);
    if (problem == 0) counted(*made);
    return problem;
}
void free(void* bytes) {
    if (bytes == NULL || is_early(bytes)) return;
    void (*const found)(void*) = searched("free", &real_free);
    if (found == NULL) return;
    atomic_fetch_sub(&blocks, 1);
    found(bytes);
}

static void* _Atomic real_mmap;
void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
    if (fails(on_mmap)) return MAP_FAILED;
    return REAL(mmap)(at, size, protection, flags, file, offset);
}

static void* _Atomic real_open;
static void* _Atomic real_openat;
#define MODE_OF(flags, last)                      \
    mode_t mode = 0;                              \
    if (((flags) & (O_CREAT | O_TMPFILE)) != 0) { \
        va_list more;                             \
        va_start(more, last);                     \
        mode = va_arg(more, mode_t);              \
        va_end(more);                             \
    }
int open(const char* path, int flags, ...) {
    MODE_OF(flags, flags)
    return fails(on_open) ? -1 : REAL(open)(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
    MODE_OF(flags, flags)
    return fails(on_open) ? -1 : REAL(openat)(folder, path, flags, mode);
}

static void* _Atomic real_read;
static void* _Atomic real_pread;
ssize_t read(int file, void* to, size_t size) {
    if (!fails(on_read)) return REAL(read)(file, to, size);
    return wanted.is_short ? REAL(read)(file, to, size > 1 ? size / 2 : size) : -1;
}
ssize_t pread(int file, void* to, size_t size, off_t offset) {
    if (!fails(on_read)) return REAL(pread)(file, to, size, offset);
    return wanted.is_short ? REAL(pread)(file, to, size > 1 ? size / 2 : size, offset) : -1;
}

static void* _Atomic real_write;
static void* _Atomic real_pwrite;
ssize_t write(int file, const void* from, size_t size) {
    if (!fails(on_write)) return REAL(write)(file, from, size);
    return wanted.is_short ? REAL(write)(file, from, size > 1 ? size / 2 : size) : -1;
}
ssize_t pwrite(int file, const void* from, size_t size, off_t offset) {
    if (!fails(on_write)) return REAL(pwrite)(file, from, size, offset);
    return wanted.is_short ? REAL(pwrite)(file, from, size > 1 ? size / 2 : size, offset) : -1;
}

static void* _Atomic real_fsync;
static void* _Atomic real_fdatasync;
int fsync(int file) { return fails(on_fsync) ? -1 : REAL(fsync)(file); }
int fdatasync(int file) { return fails(on_fsync) ? -1 : REAL(fdatasync)(file); }

static void* _Atomic real_rename;
static void* _Atomic real_renameat;
static void* _Atomic real_linkat;
int rename(const char* from, const char* to) { return fails(on_rename) ? -1 : REAL(rename)(from, to); }
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
    return fails(on_rename) ? -1 : REAL(renameat)(from_folder, from, to_folder, to);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
    return fails(on_rename) ? -1 : REAL(linkat)(from_folder, from, to_folder, to, flags);
}

static void* _Atomic real_ftruncate;
int ftruncate(int file, off_t size) { return fails(on_ftruncate) ? -1 : REAL(ftruncate)(file, size); }

static void* _Atomic real_connect;
int connect(int socket, const struct sockaddr* to, socklen_t size) {
    return fails(on_connect) ? -1 : REAL(connect)(socket, to, size);
}

static void* _Atomic real_send;
static void* _Atomic real_recv;
ssize_t send(int socket, const void* from, size_t size, int flags) {
    if (!fails(on_send)) return REAL(send)(socket, from, size, flags);
    return wanted.is_short ? REAL(send)(socket, from, size > 1 ? size / 2 : size, flags) : -1;
}
ssize_t recv(int socket, void* to, size_t size, int flags) {
    if (!fails(on_recv)) return REAL(recv)(socket, to, size, flags);
    return wanted.is_short ? REAL(recv)(socket, to, size > 1 ? size / 2 : size, flags) : -1;
}
