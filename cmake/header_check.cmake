# header_check: parses every public header as the first include of a file of its own, and twice, so that each header includes what
# it uses and is guarded. A few compiler calls of many files each; no code is generated.
set(header_check_batches 4)
file(GLOB_RECURSE public_headers RELATIVE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/include/membrane/*.hpp")
set(header_paths "${public_headers}")
list(TRANSFORM header_paths PREPEND "${PROJECT_SOURCE_DIR}/include/")
set(number 0)
foreach(header IN LISTS public_headers)
  string(REPLACE "/" "__" unit "${header}")
  set(unit "${PROJECT_BINARY_DIR}/header_check/${unit}.cpp")
  file(CONFIGURE OUTPUT "${unit}" CONTENT "#include <${header}>\n#include <${header}>\n")
  math(EXPR batch "${number} % ${header_check_batches}")
  list(APPEND header_check_units_${batch} "${unit}")
  math(EXPR number "${number} + 1")
endforeach()

set(stamps "")
math(EXPR last_batch "${header_check_batches} - 1")
foreach(batch RANGE ${last_batch})
  set(stamp "${PROJECT_BINARY_DIR}/header_check/batch_${batch}.stamp")
  add_custom_command(OUTPUT "${stamp}"
    COMMAND "${CMAKE_CXX_COMPILER}" -std=c++20 -fsyntax-only "$<TARGET_PROPERTY:membrane_options,INTERFACE_COMPILE_OPTIONS>"
            "-I${PROJECT_SOURCE_DIR}/include" -idirafter "${MEMBRANE_XXHASH_INCLUDE_DIR}" ${header_check_units_${batch}}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS ${header_paths}
    COMMENT "Parsing public headers, batch ${batch}"
    COMMAND_EXPAND_LISTS
    VERBATIM)
  list(APPEND stamps "${stamp}")
endforeach()
add_custom_target(header_check DEPENDS ${stamps})
