// Instructions per operation, counted by valgrind's callgrind: the same on a noisy machine and on a quiet one, so that a
// change of a few percent can be seen where no clock would show it. Counting starts and stops at marks around each column;
// keys, planning and hashing beforehand stay outside.
#pragma once

#include <string>

#include <membrane/hash/hasher.hpp>

#include "options.hpp"

namespace bench {

// Performs every column of every row once, one dump of callgrind for each, labelled `row|column|operations`; exit code of
// the program. tools/count_instructions.py reads the dumps.
int mark_instructions(const options& chosen, const membrane::hasher& hash);

}  // namespace bench
