# libmembrane.so, the C interface: include/membrane/membrane.h. Its functions are in objects of their own, because the extension of Python
# links them without the shared library.
list(TRANSFORM sources_of_src_c PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE c_sources)
add_library(membrane_c_objects OBJECT ${c_sources})
set_target_properties(membrane_c_objects PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 4)
target_include_directories(membrane_c_objects PRIVATE src)
target_link_libraries(membrane_c_objects PUBLIC membrane_core membrane_report PRIVATE membrane_options)

# The version of the interface, which changes when a function changes or goes; a new function does not change it.
set(MEMBRANE_C_VERSION 1)
set(c_exports "${PROJECT_SOURCE_DIR}/src/c/exports.map")
add_library(membrane_c SHARED $<TARGET_OBJECTS:membrane_c_objects>)
add_library(membrane::c ALIAS membrane_c)
set_target_properties(membrane_c PROPERTIES
  OUTPUT_NAME membrane
  EXPORT_NAME c
  LINKER_LANGUAGE CXX
  VERSION ${MEMBRANE_C_VERSION}.${PROJECT_VERSION}
  SOVERSION ${MEMBRANE_C_VERSION}
  LINK_DEPENDS "${c_exports}")
target_include_directories(membrane_c INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(membrane_c PRIVATE $<BUILD_INTERFACE:membrane_core> $<BUILD_INTERFACE:membrane_report> $<BUILD_INTERFACE:membrane_options>)
target_link_options(membrane_c PRIVATE "-Wl,--version-script=${c_exports}" -Wl,--no-undefined)
