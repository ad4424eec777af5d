# The tool prints its own man page and shell completions from the option table that it parses by, so that they cannot describe an
# option that does not exist.
set(man_page "${PROJECT_BINARY_DIR}/share/man/man1/membrane.1")
set(completion_dir "${PROJECT_BINARY_DIR}/share/completions")
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/share/man/man1" "${completion_dir}")

function(membrane_tool_document output)
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DTOOL=$<TARGET_FILE:membrane>" "-DARGS=${ARGN}" "-DOUTPUT=${output}"
            -P "${PROJECT_SOURCE_DIR}/cmake/run_to_file.cmake"
    DEPENDS membrane "${PROJECT_SOURCE_DIR}/cmake/run_to_file.cmake"
    COMMENT "Printing ${output}"
    VERBATIM)
endfunction()

membrane_tool_document("${man_page}" man)
membrane_tool_document("${completion_dir}/membrane.bash" completion bash)
membrane_tool_document("${completion_dir}/membrane.zsh" completion zsh)
membrane_tool_document("${completion_dir}/membrane.fish" completion fish)
add_custom_target(tool_documents ALL DEPENDS
  "${man_page}" "${completion_dir}/membrane.bash" "${completion_dir}/membrane.zsh" "${completion_dir}/membrane.fish")

if(NOT MEMBRANE_INSTALL)
  return()
endif()
install(FILES "${man_page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tool)
install(FILES "${completion_dir}/membrane.bash"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME membrane COMPONENT tool)
install(FILES "${completion_dir}/membrane.zsh"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" RENAME _membrane COMPONENT tool)
install(FILES "${completion_dir}/membrane.fish"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d" COMPONENT tool)
