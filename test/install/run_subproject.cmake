# Uses the source tree by add_subdirectory: only the library targets exist, Boost is not needed, and there are install rules only on
# request. The library itself is not built again: install_consume links it.
file(REMOVE_RECURSE "${WORK_DIR}")
set(without_boost -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON)

# configure(FOLDER EXPECTED_MESSAGE OPTION...): an empty EXPECTED_MESSAGE means that configuring must succeed.
function(configure folder expected)
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${GUEST_DIR}" -B "${WORK_DIR}/${folder}" -G "${GENERATOR}"
    "-DMEMBRANE_SOURCE_DIR=${MEMBRANE_SOURCE_DIR}" "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=Debug ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(expected STREQUAL "" AND NOT status EQUAL 0)
    message(FATAL_ERROR "${folder}: configuring ended with ${status}\n${out}")
  elseif(NOT expected STREQUAL "" AND (status EQUAL 0 OR NOT out MATCHES "${expected}"))
    message(FATAL_ERROR "${folder}: configuring must fail with '${expected}', ended with ${status}\n${out}")
  endif()
  message(STATUS "${folder}: as expected")
endfunction()

# installed(FOLDER OUT): the files that `cmake --install` puts into an empty prefix.
function(installed folder out)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${WORK_DIR}/${folder}" --prefix "${WORK_DIR}/${folder}/prefix"
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE files "${WORK_DIR}/${folder}/prefix/*")
  set(${out} "${files}" PARENT_SCOPE)
endfunction()

configure(library "" ${without_boost})
configure(headers "" ${without_boost} -DMEMBRANE_BUILD_LIBRARY=OFF)
configure(headers_installed "" ${without_boost} -DMEMBRANE_BUILD_LIBRARY=OFF -DMEMBRANE_INSTALL=ON)

installed(library files)
if(files)
  message(FATAL_ERROR "a subproject installs without being asked: ${files}")
endif()
installed(headers_installed files)
if(NOT files MATCHES "membrane/membrane.hpp" OR NOT files MATCHES "membraneConfig.cmake")
  message(FATAL_ERROR "MEMBRANE_INSTALL=ON installs no headers or no package: ${files}")
endif()

foreach(command "--build;${WORK_DIR}/headers" "-E;env;${WORK_DIR}/headers/guest_headers")
  execute_process(COMMAND "${CMAKE_COMMAND}" ${command} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "cmake ${command}: ended with ${status}\n${out}")
  endif()
endforeach()
message(STATUS "program of the headers: built and run")
