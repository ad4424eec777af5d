# Not tested with vcpkg itself. Builds the sources that this port lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  tool MEMBRANE_BUILD_CLI
  c MEMBRANE_C)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DMEMBRANE_BUILD_TESTS=OFF -DMEMBRANE_BUILD_PYTHON=OFF -DMEMBRANE_REDIS=OFF -DMEMBRANE_INSTALL=ON ${features})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME membrane CONFIG_PATH lib/cmake/membrane)
vcpkg_fixup_pkgconfig()
if("tool" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES membrane AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
