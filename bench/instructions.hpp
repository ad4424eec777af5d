// Instructions per operation, counted by valgrind's callgrind: independent of machine noise, so that a change of a few percent is
// visible. Counting starts and stops at marks around each column; keys, planning and hashing in advance are not counted.
#pragma once

#include <string>

#include <membrane/hash/hasher.hpp>

#include "options.hpp"

namespace bench {

// Runs every column of every row once and writes one callgrind dump for each, labelled `row|column|operations`. Returns the exit code
// of the program. tools/count_instructions.py reads the dumps.
int mark_instructions(const options& chosen, const membrane::hasher& hash);

}  // namespace bench
