# Installs the build into an empty prefix and uses it as a stranger would: find_package, the header-only target, a request
# for a version that does not exist yet, pkg-config, the tool.
set(prefix "${WORK_DIR}/prefix")
file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what}: ended with ${status}\n${out}")
  endif()
  message(STATUS "${what}: as expected")
endfunction()

function(configure_consumer folder)
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${CONSUMER_DIR}" -B "${WORK_DIR}/${folder}" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  set(status "${status}" PARENT_SCOPE)
  set(out "${out}" PARENT_SCOPE)
endfunction()

run("install" "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")

configure_consumer(consumer "-DWANTED_VERSION=${VERSION}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "find_package(membrane ${VERSION}): ended with ${status}\n${out}")
endif()
run("consumer builds" "${CMAKE_COMMAND}" --build "${WORK_DIR}/consumer")
run("consumer of the library runs" "${WORK_DIR}/consumer/consumer")
run("consumer of the headers runs" "${WORK_DIR}/consumer/consumer_headers")

configure_consumer(too_new "-DWANTED_VERSION=99.0")
if(status EQUAL 0 OR NOT out MATCHES "compatible with requested version|requested version \"99.0\"")
  message(FATAL_ERROR "find_package(membrane 99.0) must be refused for its version; ended with ${status}\n${out}")
endif()
message(STATUS "a version that is too new: refused")

find_program(pkg_config pkg-config)
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
  execute_process(COMMAND "${pkg_config}" --cflags --libs membrane
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  separate_arguments(cxx_flags UNIX_COMMAND "${CXX_FLAGS}")
  run("pkg-config compiles" "${CXX}" -std=c++20 ${cxx_flags} "${CONSUMER_DIR}/main.cpp" -o "${WORK_DIR}/by_pkg_config"
    ${flags} "-Wl,-rpath,${prefix}/${LIBDIR}")
  run("program made through pkg-config runs" "${WORK_DIR}/by_pkg_config")
  if(EXISTS "${prefix}/${LIBDIR}/pkgconfig/membrane-c.pc")
    execute_process(COMMAND "${pkg_config}" --cflags --libs membrane-c
      OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    run("pkg-config compiles C" cc -std=c99 ${cxx_flags} "${CONSUMER_DIR}/../../../example/c/seen.c" -o "${WORK_DIR}/seen"
      ${flags} "-Wl,-rpath,${prefix}/${LIBDIR}")
    run("C program runs" "${WORK_DIR}/seen" "${WORK_DIR}/seen.mbr")
  endif()
endif()

if(EXISTS "${prefix}/bin/membrane")
  run("installed tool" "${prefix}/bin/membrane" --version)
  foreach(file man/man1/membrane.1 bash-completion/completions/membrane zsh/site-functions/_membrane
      fish/vendor_completions.d/membrane.fish)
    if(NOT EXISTS "${prefix}/share/${file}")
      message(FATAL_ERROR "not installed: share/${file}")
    endif()
  endforeach()
endif()
