# membrane::membrane, the compiled library.
#
# The kinds, compiled from the same sources once for each target; src/runtime/active_target.cpp chooses one when the library runs.
# A kind that is not in vector_kinds has no code of its own for the vector target.
set(vector_kinds bloom counting_bloom blocked_bloom balanced_bloom balanced_rank)
set(portable_kinds ${vector_kinds} choice_bloom rank count_min)
set(library_sources ${sources_of_src})
list(FILTER library_sources EXCLUDE REGEX "^src/kind/[a-z_]+/([a-z]+_)?ops\\.cpp$")
add_library(membrane_objects OBJECT ${library_sources})
foreach(target portable vector)
  list(TRANSFORM ${target}_kinds REPLACE "(.+)" "src/kind/\\1/ops.cpp" OUTPUT_VARIABLE kind_sources)
  list(APPEND kind_sources src/kind/balanced_rank/growable_ops.cpp src/kind/balanced_rank/erasable_ops.cpp)
  add_library(membrane_kinds_${target} OBJECT ${kind_sources})
  string(TOUPPER ${target} target_name)
  target_compile_definitions(membrane_kinds_${target} PRIVATE MEMBRANE_LIBRARY_${target_name})
endforeach()
foreach(objects membrane_objects membrane_kinds_portable membrane_kinds_vector)
  set_target_properties(${objects} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${objects} PUBLIC membrane::headers PRIVATE membrane_options)
  target_include_directories(${objects} PRIVATE src)
  list(APPEND all_objects $<TARGET_OBJECTS:${objects}>)
endforeach()

add_library(membrane_lib ${all_objects})
add_library(membrane::membrane ALIAS membrane_lib)
set_target_properties(membrane_lib PROPERTIES
  OUTPUT_NAME membrane
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
