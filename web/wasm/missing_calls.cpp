// Calls of the system that Emscripten's C library lacks.
#include <cerrno>

// The tool copies standard input into such a file; a page has no standard input.
extern "C" int memfd_create(const char*, unsigned) {
    errno = ENOSYS;
    return -1;
}
