# Reports as JSON, for the tool and for the C library.
find_package(nlohmann_json REQUIRED)
add_library(membrane_report STATIC ${sources_of_report})
set_target_properties(membrane_report PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(membrane_report PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(membrane_report PUBLIC membrane::headers PRIVATE membrane_options nlohmann_json::nlohmann_json)
target_compile_options(membrane_report PRIVATE $<$<CONFIG:Release>:-O1>)
