// A condition that ends the program with its text, in every kind of build: libFuzzer and ctest both see it.
#pragma once

#include <cstdio>
#include <cstdlib>

#define MEMBRANE_REQUIRE(condition)                                                      \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                \
        }                                                                                \
    } while (false)
