# The membrane tool: cli/{command,input,print,remote}.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# Every key passes through these files, which are optimised like the library. They are objects of the program itself and the
# other files a library behind it: of an inline function that several objects contain, the linker keeps the first copy, and
# `membrane query` is 7 % slower with the copies that are compiled with -O1.
set(hot_sources cli/input/key_parser.cpp cli/input/record_blocks.cpp cli/command/query.cpp)
add_executable(membrane ${hot_sources} cli/command/main.cpp)
set_target_properties(membrane PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

file(GLOB command_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" cli/command/*.cpp)
file(GLOB lower_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" cli/input/*.cpp cli/print/*.cpp cli/remote/*.cpp)
list(REMOVE_ITEM command_sources ${hot_sources} cli/command/main.cpp)
list(REMOVE_ITEM lower_sources ${hot_sources})
add_library(membrane_cli STATIC ${command_sources} ${lower_sources})
target_include_directories(membrane_cli PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(membrane_cli
  PUBLIC membrane::membrane membrane_catalog membrane_plot membrane_lab membrane_timing Threads::Threads fmt::fmt
  PRIVATE membrane_options CLI11::CLI11 nlohmann_json::nlohmann_json)
target_link_libraries(membrane PRIVATE membrane_cli membrane_options)

# -O1 saves a third of the build time (43 s instead of 64 s) of code that runs once per command or per batch.
target_compile_options(membrane_cli PRIVATE $<$<CONFIG:Release>:-O1>)
# Most files are short and include the same headers, so they are compiled in two groups. Names in unnamed namespaces must
# therefore differ within a group.
set_target_properties(membrane_cli PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
set_source_files_properties(${command_sources} PROPERTIES UNITY_GROUP command)
set_source_files_properties(${lower_sources} PROPERTIES UNITY_GROUP lower)
# The only files that include the option parser and the JSON library.
set_source_files_properties(cli/input/command_line.cpp cli/print/json.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
