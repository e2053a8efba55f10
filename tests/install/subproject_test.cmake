# Adds the source tree to another project as a folder, and looks at what that project would build;
# with -DFULL=ON also builds and runs it, which takes as long as the Connect library does.
#   cmake -DSOURCE=... -DWORK=... -DCXX=... [-DFULL=ON] -P subproject_test.cmake
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/subproject -B ${WORK} -G Ninja
    -DCURSORWIRE=${SOURCE} -DCMAKE_CXX_COMPILER=${CXX})

run(${CMAKE_COMMAND} --build ${WORK} -- -n)
if(NOT output MATCHES "cursorwire_base" OR NOT output MATCHES "connect_consumer")
  message(FATAL_ERROR "the build leaves out what is linked:\n${output}")
endif()
if(output MATCHES "cursorwire_(agent|upstream|client|proto)")
  message(FATAL_ERROR "the build makes what is not linked:\n${output}")
endif()

run(${CMAKE_COMMAND} --install ${WORK} --prefix ${WORK}/prefix)
file(GLOB installed ${WORK}/prefix/*)
if(installed)
  message(FATAL_ERROR "installs as a part of another project: ${installed}")
endif()

if(FULL)
  run(${CMAKE_COMMAND} --build ${WORK})
  run(${WORK}/connect_consumer)
endif()
