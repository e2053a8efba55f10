# Checks that a page shows a file as it is, without the comment at its head:
#   cmake -DPAGE=page.md -DFILE=example.cc -P shows_file.cmake
cmake_minimum_required(VERSION 3.25)

file(READ ${PAGE} page)
file(READ ${FILE} code)
string(REGEX REPLACE "^(//[^\n]*\n)+" "" code "${code}")
string(FIND "${page}" "```cpp\n${code}```\n" found)
if("${code}" STREQUAL "" OR found EQUAL -1)
  message(FATAL_ERROR "${PAGE} shows another text than ${FILE} has")
endif()
