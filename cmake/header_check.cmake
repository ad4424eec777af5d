# header_check: every public header compiled alone, and twice over, so that each includes what it uses and is guarded.
file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
  "${PROJECT_SOURCE_DIR}/include/membrane/*.hpp")
set(header_check_sources "")
foreach(header IN LISTS public_headers)
  string(REPLACE "/" "__" unit "${header}")
  set(unit "${PROJECT_BINARY_DIR}/header_check/${unit}.cpp")
  file(CONFIGURE OUTPUT "${unit}" CONTENT "#include <${header}>\n#include <${header}>\n")
  list(APPEND header_check_sources "${unit}")
endforeach()
add_library(header_check OBJECT EXCLUDE_FROM_ALL ${header_check_sources})
target_link_libraries(header_check PRIVATE membrane::headers membrane_options)
target_compile_options(header_check PRIVATE -O0)
