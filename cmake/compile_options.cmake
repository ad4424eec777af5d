# membrane_options: the warnings, and whatever instrumentation was asked for. Linked privately by every target of ours,
# never installed: a consumer's flags are the consumer's business.
add_library(membrane_options INTERFACE)

target_compile_options(membrane_options INTERFACE -Wall -Wextra -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # g++ leaves signedness out of -Wconversion for C++; the same code has to pass both compilers.
  target_compile_options(membrane_options INTERFACE -Wpedantic -Wno-sign-conversion)
endif()
# g++ has no -Wpedantic here: it refuses unsigned __int128, which the 64 x 64 -> 128 multiplication needs.

if(MEMBRANE_WERROR)
  target_compile_options(membrane_options INTERFACE -Werror)
endif()

set(MEMBRANE_INSTRUMENT "")
if(MEMBRANE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "MEMBRANE_FUZZ needs clang (-DCMAKE_CXX_COMPILER=clang++)")
  endif()
  set(MEMBRANE_INSTRUMENT -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
elseif(MEMBRANE_SANITIZE)
  string(REPLACE ";" "," sanitizers "${MEMBRANE_SANITIZE}")
  set(MEMBRANE_INSTRUMENT -fsanitize=${sanitizers} -fno-sanitize-recover=all)
endif()
if(MEMBRANE_INSTRUMENT)
  target_compile_options(membrane_options INTERFACE ${MEMBRANE_INSTRUMENT} -fno-omit-frame-pointer)
  target_link_options(membrane_options INTERFACE ${MEMBRANE_INSTRUMENT})
endif()
