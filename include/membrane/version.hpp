// The version of the library, the one place where it is written.
//
// The build system reads these lines, so the package files, `membrane --version` and a program that was compiled
// against the headers cannot disagree. It is the version of the code; the file format counts its own.
#pragma once

namespace membrane {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;
inline constexpr char version_string[] = "0.1.0";

}  // namespace membrane
