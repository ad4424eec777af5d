#include "native/play.hpp"

membrane::test::unit membrane::test::portable_unit() { return this_unit(); }
