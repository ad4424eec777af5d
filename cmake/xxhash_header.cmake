# membrane::xxhash, the include folder of xxhash.h. Only the header is used (membrane inlines it), so nothing is linked.
# Included by the build and, installed beside it, by membraneConfig.cmake.
if(NOT TARGET membrane::xxhash)
  find_path(MEMBRANE_XXHASH_INCLUDE_DIR xxhash.h)
  mark_as_advanced(MEMBRANE_XXHASH_INCLUDE_DIR)
  if(MEMBRANE_XXHASH_INCLUDE_DIR)
    add_library(membrane::xxhash INTERFACE IMPORTED)
    set_target_properties(membrane::xxhash PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${MEMBRANE_XXHASH_INCLUDE_DIR}")
  endif()
endif()
