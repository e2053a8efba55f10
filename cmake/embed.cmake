# Writes a header with the bytes of a file as an array:
#   cmake -DINPUT=<file> -DOUTPUT=<header> -DNAME=<namespace::kName> -P embed.cmake
cmake_minimum_required(VERSION 3.25)

string(REGEX MATCH "^(.+)::([^:]+)$" matched ${NAME})
set(namespace ${CMAKE_MATCH_1})
set(name ${CMAKE_MATCH_2})
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT}
  "#pragma once\nnamespace ${namespace} {\n"
  "inline constexpr unsigned char ${name}[] = {\n${bytes}\n};\n}  // namespace ${namespace}\n")
