// MEMBRANE_API marks what the shared library exports; everything else is compiled with hidden visibility. Templates and inline
// functions need no mark: a caller compiles them. A class with a function that src/ defines is marked as a whole.
#pragma once

#define MEMBRANE_API [[gnu::visibility("default")]]
