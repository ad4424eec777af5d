# What `cmake --install` puts where: headers, library, CMake package, pkg-config file (component development), C library (component
# library), tool (component tool; redis/ and tool_documents.cmake have the others).
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/membrane")

install(DIRECTORY include/membrane DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
set(library_targets membrane_headers)
if(TARGET membrane_lib)
  list(APPEND library_targets membrane_lib)
endif()
if(TARGET membrane_c)
  install(TARGETS membrane_c EXPORT membraneTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library NAMELINK_COMPONENT development)
endif()
install(TARGETS ${library_targets} EXPORT membraneTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT development
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT membraneTargets NAMESPACE membrane:: DESTINATION "${package_dir}" COMPONENT development)

configure_package_config_file(cmake/membraneConfig.cmake.in "${PROJECT_BINARY_DIR}/membraneConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
# Before 1.0 a minor version may break callers.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/membraneConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/membraneConfig.cmake"
  "${PROJECT_BINARY_DIR}/membraneConfigVersion.cmake"
  cmake/xxhash_header.cmake
  DESTINATION "${package_dir}" COMPONENT development)

# The .pc file finds the prefix from where it lies itself, so an install tree can be moved.
file(RELATIVE_PATH MEMBRANE_PC_TO_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" MEMBRANE_PC_TO_PREFIX "${MEMBRANE_PC_TO_PREFIX}")
configure_file(cmake/membrane.pc.in "${PROJECT_BINARY_DIR}/membrane.pc" @ONLY)
if(TARGET membrane_lib)
  install(FILES "${PROJECT_BINARY_DIR}/membrane.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endif()

if(TARGET membrane_c)
  configure_file(cmake/membrane-c.pc.in "${PROJECT_BINARY_DIR}/membrane-c.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/membrane-c.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endif()

if(TARGET membrane)
  install(TARGETS membrane RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tool)
endif()
foreach(document LICENSE README.md CHANGELOG.md)
  install(FILES ${document} DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development OPTIONAL)
endforeach()
