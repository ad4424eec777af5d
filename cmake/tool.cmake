# The membrane tool: cli/{command,input,print,remote}.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# Every key of the input passes through cli/input, which is therefore optimised like the library.
file(GLOB input_sources CONFIGURE_DEPENDS cli/input/*.cpp)
add_library(membrane_input STATIC ${input_sources})
target_include_directories(membrane_input PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(membrane_input
  PUBLIC membrane::membrane membrane_timing Threads::Threads fmt::fmt
  PRIVATE membrane_options CLI11::CLI11)

# The other rooms work on batches, texts and tables. -O1 halves their build time and changes no measured speed.
file(GLOB tool_sources CONFIGURE_DEPENDS cli/command/*.cpp cli/print/*.cpp cli/remote/*.cpp)
add_executable(membrane ${tool_sources})
target_link_libraries(membrane PRIVATE
  membrane_input membrane_catalog membrane_plot membrane_lab membrane_options nlohmann_json::nlohmann_json)
target_compile_options(membrane PRIVATE $<$<CONFIG:Release>:-O1>)
set_target_properties(membrane PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
