# Writes the man page of a program that has --help-man, such as cursor-chat:
#   cmake -DPROGRAM=<file> -DOUTPUT=<file> -P man_page.cmake
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${PROGRAM} --help-man OUTPUT_FILE ${OUTPUT}.new RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --help-man: ${result}")
endif()
file(RENAME ${OUTPUT}.new ${OUTPUT})
