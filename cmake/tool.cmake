# The membrane tool, and the libraries that only the tool, the tests and the benchmark use: charts (plot), the papers' tables and
# figures (lab), time measurement (timing), the formulas by name (cli/catalog).
find_package(fmt REQUIRED)
add_library(membrane_plot STATIC ${sources_of_plot})
target_include_directories(membrane_plot PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(membrane_plot PUBLIC membrane::headers PRIVATE membrane_options fmt::fmt)
add_library(membrane_lab STATIC ${sources_of_lab})
target_link_libraries(membrane_lab PUBLIC membrane_core membrane_plot PRIVATE membrane_options fmt::fmt)
add_library(membrane_timing STATIC ${sources_of_timing})
target_include_directories(membrane_timing PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(membrane_timing PUBLIC membrane_core PRIVATE membrane_options)

# For `membrane model` and the tests of the reference numbers: the library never looks up a formula by name.
add_library(membrane_catalog STATIC ${sources_of_cli_catalog})
target_include_directories(membrane_catalog PUBLIC "${PROJECT_SOURCE_DIR}" PRIVATE src)
target_link_libraries(membrane_catalog PUBLIC membrane_core PRIVATE membrane_options)
target_compile_options(membrane_catalog PRIVATE $<$<CONFIG:Release>:-O1>)
if(NOT MEMBRANE_BUILD_CLI)
  return()
endif()

find_package(CLI11 REQUIRED)
# Compressed files of keys.
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
set(tool_sources ${sources_of_cli})
list(REMOVE_ITEM tool_sources ${sources_of_cli_catalog})
# rediss:// servers.
if(MEMBRANE_TLS)
  find_package(OpenSSL 3.0)
  if(NOT OPENSSL_FOUND)
    message(FATAL_ERROR "OpenSSL 3 is missing (Debian: libssl-dev). -DMEMBRANE_TLS=OFF builds the tool without rediss:// servers.")
  endif()
  list(REMOVE_ITEM tool_sources cli/remote/tls_absent.cpp)
else()
  list(REMOVE_ITEM tool_sources cli/remote/tls_openssl.cpp)
endif()
add_executable(membrane ${tool_sources})
target_include_directories(membrane PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(membrane PRIVATE membrane_core membrane_catalog membrane_report membrane_plot membrane_lab membrane_timing membrane_options
  CLI11::CLI11 fmt::fmt ZLIB::ZLIB PkgConfig::zstd $<$<BOOL:${MEMBRANE_TLS}>:OpenSSL::SSL>)

# Most files are short and include the same headers, so each room is compiled as one file. Names in unnamed namespaces must
# therefore differ within a room.
set_target_properties(membrane PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
foreach(room command help input print remote stream)
  set_source_files_properties(${sources_of_cli_${room}} PROPERTIES UNITY_GROUP ${room})
endforeach()
# The only file that includes the option parser.
set_source_files_properties(cli/input/command_line.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# -O1 saves a third of the build time of code that runs once per command or per batch. Every key of the input passes through the
# files below.
target_compile_options(membrane PRIVATE $<$<CONFIG:Release>:-O1>)
set_source_files_properties(cli/input/key_parser.cpp cli/input/record_blocks.cpp cli/input/byte_stream.cpp cli/stream/hit_printer.cpp cli/command/query.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
include(cmake/tool_documents.cmake)
