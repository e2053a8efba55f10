# Checks that docs/limits.md tells the truth:
#   cmake -DROOT=<source tree> -P limits.cmake
# Each row names an identifier, a file and a value, which must be the one of the source; and each
# constant or option of the source that is a limit must have a row.
cmake_minimum_required(VERSION 3.25)

# The lines that match, without what cmake's lists would trip over.
function(read_lines path regex result)
  file(READ ${path} text)
  string(REPLACE ";" "@" text "${text}")
  string(REGEX REPLACE "[][]" "" text "${text}")
  # At once, since it takes cmake long to go through the lines.
  string(REGEX MATCHALL "\n[^\n]*(${regex})[^\n]*" lines "\n${text}")
  string(REPLACE "\n" "" lines "${lines}")
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

# --- the page

# "64 MiB" and "30 s" as one number: bytes, milliseconds, or a count.
function(page_value text result)
  set(factors bytes 1 KiB 1024 MiB 1048576 GiB 1073741824 ms 1 s 1000 h 3600000 rounds 1)
  set(${result} "" PARENT_SCOPE)
  if(NOT text MATCHES "^([0-9]+)( ([a-zA-Z]+))?$")
    return()
  endif()
  set(number ${CMAKE_MATCH_1})
  set(unit "${CMAKE_MATCH_3}")
  set(factor 1)
  if(NOT unit STREQUAL "")
    list(FIND factors ${unit} index)
    if(index EQUAL -1)
      return()
    endif()
    math(EXPR index "${index} + 1")
    list(GET factors ${index} factor)
  endif()
  math(EXPR value "${number} * ${factor}")
  set(${result} ${value} PARENT_SCOPE)
endfunction()

function(find_source file result)
  foreach(folder src include/cursorwire apps)
    if(EXISTS ${ROOT}/${folder}/${file})
      set(${result} ${ROOT}/${folder}/${file} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${result} "" PARENT_SCOPE)
endfunction()

# --- the source

# The number that a C++ initializer stands for.
function(evaluate type expression result)
  set(value "${expression}")
  string(REPLACE "'" "" value "${value}")
  string(REGEX REPLACE "std::numeric_limits<int32_t>::max\\(\\)" "2147483647" value "${value}")
  string(REGEX REPLACE "(size_t|int64_t|uint64_t){([0-9]+)}" "\\2" value "${value}")
  string(REPLACE "kMiB" "1048576" value "${value}")
  if(NOT value MATCHES "^[0-9a-fx *<+-]+$")
    set(${result} "" PARENT_SCOPE)
    return()
  endif()
  set(factor 1)
  if(type MATCHES "chrono::seconds")
    set(factor 1000)
  elseif(type MATCHES "chrono::minutes")
    set(factor 60000)
  elseif(type MATCHES "chrono::hours")
    set(factor 3600000)
  endif()
  math(EXPR value "(${value}) * ${factor}")
  set(${result} ${value} PARENT_SCOPE)
endfunction()

# The value of `identifier` in a file; "" if it has none that can be read.
function(source_value path identifier result)
  set(${result} "" PARENT_SCOPE)
  read_lines(${path} ${identifier} lines)
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^ *return" AND
       line MATCHES "^ *([a-zA-Z0-9_:<> ]+) ${identifier}( = |{)([^@]+)@")
      set(type "${CMAKE_MATCH_1}")
      set(expression "${CMAKE_MATCH_3}")
      if(CMAKE_MATCH_2 STREQUAL "{")
        string(REGEX REPLACE "}$" "" expression "${expression}")
      endif()
      evaluate("${type}" "${expression}" value)
      set(${result} "${value}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# --- every row against the source

set(documented)
read_lines(${ROOT}/docs/limits.md "\\| " page)
foreach(line IN LISTS page)
  if(NOT line MATCHES "^\\| (.*)\\| ([^|]+) \\| `([A-Za-z0-9:_]+)` in `([a-z0-9_./-]+)` \\|")
    if(line MATCHES "^\\| " AND NOT line MATCHES "^\\| (limit|---)")
      message(SEND_ERROR "docs/limits.md: no row of the usual form: ${line}")
    endif()
    continue()
  endif()
  set(stated "${CMAKE_MATCH_2}")
  set(file ${CMAKE_MATCH_4})
  string(REGEX REPLACE "^.*::" "" identifier ${CMAKE_MATCH_3})
  list(APPEND documented ${file}:${identifier})
  find_source(${file} path)
  if(path STREQUAL "")
    message(SEND_ERROR "docs/limits.md: there is no ${file}")
    continue()
  endif()
  if(stated MATCHES "^`[A-Za-z]+`$")  # the value of another struct, which has its row
    continue()
  endif()
  page_value("${stated}" expected)
  source_value(${path} ${identifier} actual)
  if(expected STREQUAL "" OR NOT expected STREQUAL actual)
    message(SEND_ERROR "docs/limits.md: ${identifier} in ${file} is '${stated}', and '${actual}' in the source")
  endif()
endforeach()

# --- every limit of the source against the page

# Sizes of the protocols themselves, of what a message quotes of a peer, and times that events tell.
set(no_limits duration delay startup_time kMaxQuotedBytes kMaxQuotedCodeBytes kMaxQuotedHeaderBytes kMaxFieldNumber kMaxVarintBytes kMaxSeconds kMaxWordBytes)
file(GLOB_RECURSE sources ${ROOT}/src/*.h ${ROOT}/src/*.cc ${ROOT}/include/*.h
  ${ROOT}/apps/collab/*.h ${ROOT}/apps/collab/*.cc
  ${ROOT}/apps/cursor-chat/*.h ${ROOT}/apps/cursor-chat/*.cc
  ${ROOT}/apps/h2-bridge/*.h ${ROOT}/apps/h2-bridge/*.cc
  ${ROOT}/apps/gateway/*.h ${ROOT}/apps/gateway/*.cc)
foreach(path IN LISTS sources)
  string(REGEX REPLACE "^${ROOT}/(src|include/cursorwire|apps)/" "" file ${path})
  read_lines(${path} "constexpr|milliseconds|size_t|uint32_t" lines)
  foreach(line IN LISTS lines)
    set(identifier "")
    if(line MATCHES "^ *(inline |static )*constexpr [a-z0-9_]+ (kMax[A-Za-z]*)( = |{)")
      set(identifier ${CMAKE_MATCH_2})
    elseif(line MATCHES "^ *(inline |static )*constexpr std::chrono::[a-z]+ (k[A-Za-z]+)( = |{)")
      set(identifier ${CMAKE_MATCH_2})
    elseif(file STREQUAL "exec.h")  # what the agent asks for, and no limits of ours
      continue()
    elseif(path MATCHES "/include/" AND
           line MATCHES "^  std::chrono::milliseconds ([a-z_]+)( = |{)")
      set(identifier ${CMAKE_MATCH_1})
    elseif(path MATCHES "/include/" AND
           line MATCHES "^  (size_t|uint32_t) ([a-z]+_bytes|max_[a-z_]+)( = |{)")
      set(identifier ${CMAKE_MATCH_2})
    endif()
    if(NOT identifier STREQUAL "" AND NOT identifier IN_LIST no_limits AND
       NOT "${file}:${identifier}" IN_LIST documented)
      message(SEND_ERROR "${file}: ${identifier} has no row in docs/limits.md")
    endif()
  endforeach()
endforeach()

list(LENGTH documented rows)
if(rows LESS 80)
  message(FATAL_ERROR "only ${rows} rows seen: wrong ROOT?")
endif()
message(STATUS "${rows} limits are as the page says")
