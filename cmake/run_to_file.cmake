# cmake -DTOOL=... -DARGS=a;b -DOUTPUT=... -P run_to_file.cmake: TOOL's standard output becomes OUTPUT, whole or not at all.
execute_process(COMMAND "${TOOL}" ${ARGS} OUTPUT_FILE "${OUTPUT}.part" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  file(REMOVE "${OUTPUT}.part")
  message(FATAL_ERROR "${TOOL} ${ARGS}: ended with ${status}")
endif()
file(RENAME "${OUTPUT}.part" "${OUTPUT}")
