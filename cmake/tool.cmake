# The membrane tool: cli/{command,input,print,remote}.
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

file(GLOB command_sources CONFIGURE_DEPENDS cli/command/*.cpp)
file(GLOB input_sources CONFIGURE_DEPENDS cli/input/*.cpp)
file(GLOB print_sources CONFIGURE_DEPENDS cli/print/*.cpp)
file(GLOB remote_sources CONFIGURE_DEPENDS cli/remote/*.cpp)
add_executable(membrane ${command_sources} ${input_sources} ${print_sources} ${remote_sources})
target_include_directories(membrane PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(membrane PRIVATE
  membrane::membrane membrane_catalog membrane_plot membrane_lab membrane_timing membrane_options Threads::Threads
  CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
set_target_properties(membrane PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# Most files are short and include the same headers, so they are compiled in two groups. Names in unnamed namespaces must
# therefore differ within a group.
set_target_properties(membrane PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
set_source_files_properties(${command_sources} PROPERTIES UNITY_GROUP command)
set_source_files_properties(${input_sources} ${print_sources} ${remote_sources} PROPERTIES UNITY_GROUP below_command)
# The only files that include the option parser and the JSON library.
set_source_files_properties(cli/input/command_line.cpp cli/print/json.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# -O1 saves a third of the build time (43 s instead of 64 s) of code that runs once per command or per batch. Every key passes
# through the files below; `membrane query` is 8 % slower with query.cpp at -O1.
target_compile_options(membrane PRIVATE $<$<CONFIG:Release>:-O1>)
set(hot_sources cli/command/query.cpp cli/input/key_parser.cpp cli/input/record_blocks.cpp)
set_source_files_properties(${hot_sources} PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
