# Checks that each folder of src/ includes only from the folders below it:
#   cmake -DROOT=<source tree> -P include_rules.cmake
# A target linked only downwards does not catch a wrong include, since all layers share one include
# path. A public header belongs to the folder that implements it; headers of values alone may be
# used anywhere.
cmake_minimum_required(VERSION 3.25)

set(allowed_base)
set(allowed_wire base)
set(allowed_h2 base)
set(allowed_tls base)
set(allowed_net base)
set(allowed_rpc base wire)
set(allowed_core base rpc h2 tls)
set(allowed_channel base core net)
set(allowed_agent base wire proto)
set(allowed_workspace base agent)
set(allowed_client base wire net channel agent)
set(allowed_upstream base wire h2 tls net agent proto)

set(values
  chat.h environment.h exec.h id_source.h model.h query.h tool.h
  connect/call_event.h connect/call_options.h connect/channel_options.h connect/code.h
  connect/connection_event.h connect/error_info.h connect/headers.h connect/keepalive_options.h
  connect/single_pass_iterator.h connect/time_point.h connect/tls_options.h
  connect/unary_response.h export.h)
set(home_base connect/binary_header.h connect/redactor.h)
set(home_wire available_models.h selected_context.h)
set(home_core connect/connection.h)
set(home_channel connect/call.h connect/channel.h connect/completion_queue.h connect/coroutine.h
  connect/interceptor.h connect/logging_interceptor.h connect/protobuf.h connect/stream.h)
set(home_agent blob_store.h drift.h exec_handler.h image.h model_choice.h query_handler.h remedy.h
  run.h tool_registry.h)
set(home_workspace local_exec_handler.h policy.h)
set(home_client chat_stream.h client.h)
set(home_upstream local_upstream.h script.h)

# The folder that a header in quotes belongs to: "" for a value or anything foreign.
function(folder_of include result)
  set(${result} "" PARENT_SCOPE)
  if(include MATCHES "^cursorwire/(.*)$")
    set(public ${CMAKE_MATCH_1})
    if(public IN_LIST values)
      return()
    endif()
    foreach(layer base wire core channel agent workspace client upstream)
      if(public IN_LIST home_${layer})
        set(${result} ${layer} PARENT_SCOPE)
        return()
      endif()
    endforeach()
    set(${result} "unlisted public header" PARENT_SCOPE)
  elseif(include MATCHES "^agent/v1/")
    set(${result} proto PARENT_SCOPE)
  elseif(include MATCHES "^([a-z0-9]+)/")
    set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()

set(failures 0)
set(includes_seen 0)
function(check_file file layer)
  file(STRINGS ${file} lines REGEX "^#include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" include ${line})
    math(EXPR includes_seen "${includes_seen} + 1")
    folder_of(${include} folder)
    if(NOT folder STREQUAL "" AND NOT folder STREQUAL layer
       AND NOT folder IN_LIST allowed_${layer})
      message(SEND_ERROR "${file}: ${layer}/ must not include ${include} (${folder})")
    endif()
  endforeach()
  set(includes_seen ${includes_seen} PARENT_SCOPE)
endfunction()

file(GLOB folders RELATIVE ${ROOT}/src ${ROOT}/src/*)
foreach(layer IN LISTS folders)
  if(NOT IS_DIRECTORY ${ROOT}/src/${layer})
    continue()
  endif()
  if(NOT DEFINED allowed_${layer} AND NOT layer STREQUAL base)
    message(SEND_ERROR "src/${layer} has no rule in tests/include_rules.cmake")
  endif()
  file(GLOB_RECURSE files ${ROOT}/src/${layer}/*.h ${ROOT}/src/${layer}/*.cc)
  foreach(file IN LISTS files)
    check_file(${file} ${layer})
  endforeach()
endforeach()

# RE2 stays in one file.
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/src/*.h ${ROOT}/src/*.cc)
foreach(file IN LISTS files)
  file(STRINGS ${ROOT}/${file} foreign REGEX "#include.*re2/")
  if(foreign AND NOT file STREQUAL "src/workspace/pattern.cc")
    message(SEND_ERROR "${file}: ${foreign}")
  endif()
endforeach()

# Threads start where signals are blocked for them.
foreach(file IN LISTS files)
  file(STRINGS ${ROOT}/${file} starts REGEX "std::j?thread([({]| [a-z_]+[({])")
  if(starts AND NOT file MATCHES "^src/(net/thread.h|workspace/background_shell.cc)$")
    message(SEND_ERROR "${file}: start threads with net::StartThread(): ${starts}")
  endif()
endforeach()

# zlib stays in one file.
foreach(file IN LISTS files)
  file(STRINGS ${ROOT}/${file} foreign REGEX "#include.*zlib")
  if(foreign AND NOT file STREQUAL "src/wire/gzip.cc")
    message(SEND_ERROR "${file}: ${foreign}")
  endif()
endforeach()

# Public headers: each as a file of the folder that implements it. Foreign libraries stay inside.
file(GLOB_RECURSE headers RELATIVE ${ROOT}/include ${ROOT}/include/*.h)
foreach(header IN LISTS headers)
  folder_of(${header} folder)
  if(folder STREQUAL "")
    set(folder values)
    set(allowed_values)
  endif()
  check_file(${ROOT}/include/${header} ${folder})
  file(STRINGS ${ROOT}/include/${header} foreign REGEX "#include.*(nghttp2|openssl|zlib|google/|re2/)")
  if(foreign AND NOT header STREQUAL "cursorwire/connect/protobuf.h")
    message(SEND_ERROR "${header}: ${foreign}")
  endif()
endforeach()

if(includes_seen LESS 100)
  message(FATAL_ERROR "only ${includes_seen} includes seen: wrong ROOT?")
endif()
message(STATUS "${includes_seen} includes follow the rules")
