# Installs the build into a scratch prefix, and builds and runs programs against that alone.
#   cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCXX=... -DFLAGS=... -P install_test.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(build_against_package source name)
  run(${CMAKE_COMMAND} -S ${source} -B ${WORK}/${name} -G Ninja
      -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX}
      -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_BUILD_TYPE=Debug)
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)

build_against_package(${SOURCE}/tests/install/consumer consumer)
run(${WORK}/consumer/consumer)
if(NOT output MATCHES "You said: \"from an installed package\"")
  message(FATAL_ERROR "consumer said: ${output}")
endif()
run(${WORK}/consumer/connect_consumer)
run(${WORK}/consumer/script_consumer)

build_against_package(${SOURCE}/examples examples)
run(${WORK}/examples/own_loop "a loop of my own")
if(NOT output MATCHES "You said: \"a loop of my own\"")
  message(FATAL_ERROR "own_loop said: ${output}")
endif()
run(${WORK}/prefix/bin/cursor-chat --local "installed")
if(NOT output MATCHES "You said: \"installed\"")
  message(FATAL_ERROR "cursor-chat said: ${output}")
endif()
