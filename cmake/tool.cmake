# The membrane tool and the libraries that only the tool, the tests and the benchmark use: charts (plot), the papers' tables and
# figures (lab), time measurement (timing).
find_package(fmt REQUIRED)
add_library(membrane_plot STATIC ${sources_of_plot})
target_include_directories(membrane_plot PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(membrane_plot PUBLIC membrane::headers PRIVATE membrane_options fmt::fmt)
add_library(membrane_lab STATIC ${sources_of_lab})
target_link_libraries(membrane_lab PUBLIC membrane_core membrane_plot PRIVATE membrane_options fmt::fmt)
add_library(membrane_timing STATIC ${sources_of_timing})
target_include_directories(membrane_timing PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(membrane_timing PUBLIC membrane_core PRIVATE membrane_options)
if(NOT MEMBRANE_BUILD_CLI)
  return()
endif()

find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
add_executable(membrane ${sources_of_cli})
target_include_directories(membrane PRIVATE cli)
target_link_libraries(membrane PRIVATE
  membrane_core membrane_plot membrane_lab membrane_timing membrane_options CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
# Most files of the tool include the option parser, which takes longer to parse than the file itself.
target_precompile_headers(membrane PRIVATE <CLI/CLI.hpp> <fmt/format.h> <nlohmann/json.hpp>)
include(cmake/tool_documents.cmake)
