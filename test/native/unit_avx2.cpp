// Compiled with -march=x86-64-v3.
#include "native/play.hpp"

membrane::test::unit membrane::test::avx2_unit() { return this_unit(); }
