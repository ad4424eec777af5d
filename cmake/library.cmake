# membrane::membrane, the compiled library. Boost (the models' special functions) is used in src/ only: it is neither in the
# headers nor in the exported package.
find_package(Boost 1.74 REQUIRED)

add_library(membrane_objects OBJECT ${sources_of_src})
set_target_properties(membrane_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(membrane_objects PUBLIC membrane::headers PRIVATE membrane_options)
target_include_directories(membrane_objects PRIVATE src)
target_include_directories(membrane_objects SYSTEM PRIVATE ${Boost_INCLUDE_DIRS})

add_library(membrane_lib $<TARGET_OBJECTS:membrane_objects>)
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
  add_library(membrane_core STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:membrane_objects>)
  set_target_properties(membrane_core PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(membrane_core PUBLIC membrane::headers PRIVATE membrane_options)
else()
  add_library(membrane_core ALIAS membrane_lib)
endif()
