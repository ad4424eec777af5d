# membrane::membrane, the compiled library.
include(cmake/kinds.cmake)
add_library(membrane_objects OBJECT ${library_sources})
# Machines other than x86-64 and arm64 have no vector target.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_INCLUDES "${PROJECT_SOURCE_DIR}/include")
check_cxx_source_compiles("#include <membrane/base/target.hpp>
#if !defined(MEMBRANE_HAS_VECTOR_TARGET)
#error none
#endif
int main() {}" MEMBRANE_HAS_VECTOR_KINDS)
unset(CMAKE_REQUIRED_INCLUDES)
set(kind_targets portable)
if(MEMBRANE_HAS_VECTOR_KINDS)
  list(APPEND kind_targets vector)
endif()
foreach(target IN LISTS kind_targets)
  add_library(membrane_kinds_${target} OBJECT ${${target}_kind_sources})
  string(TOUPPER ${target} target_name)
  target_compile_definitions(membrane_kinds_${target} PRIVATE MEMBRANE_LIBRARY_${target_name})
endforeach()
list(TRANSFORM kind_targets PREPEND membrane_kinds_ OUTPUT_VARIABLE kind_objects)
foreach(objects IN ITEMS membrane_objects ${kind_objects})
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${objects} PUBLIC membrane::headers PRIVATE membrane_options)
  target_include_directories(${objects} PRIVATE src)
  list(APPEND all_objects $<TARGET_OBJECTS:${objects}>)
endforeach()

# Named libmembrane++, as libmembrane.so is the C library: with both in one folder, -lmembrane would find that one.
add_library(membrane_lib ${all_objects})
add_library(membrane::membrane ALIAS membrane_lib)
set_target_properties(membrane_lib PROPERTIES
  OUTPUT_NAME membrane++
  EXPORT_NAME membrane
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINKER_LANGUAGE CXX)
target_link_libraries(membrane_lib PUBLIC membrane::headers PRIVATE $<BUILD_INTERFACE:membrane_options>)

# membrane_core: the same objects as a static library. The Redis module links it because its allocations must be the module's own;
# the tests link it because they also call functions that the shared library does not export.
if(BUILD_SHARED_LIBS)
  add_library(membrane_core STATIC EXCLUDE_FROM_ALL ${all_objects})
  set_target_properties(membrane_core PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(membrane_core PUBLIC membrane::headers PRIVATE membrane_options)
else()
  add_library(membrane_core ALIAS membrane_lib)
endif()
