# Builds and installs the Connect client alone, on a machine without the packages of the agent client,
# and builds and runs a program with it.
#   cmake -DSOURCE=... -DWORK=... -DCXX=... -P connect_only_test.cmake
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(options -G Ninja -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Debug ${without_agent_packages})
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -DCURSORWIRE_BUILD_AGENT=OFF ${options})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)
file(GLOB_RECURSE others ${WORK}/prefix/*client.h ${WORK}/prefix/*cursorwire.pc ${WORK}/prefix/*libcursorwire.*)
if(others)
  message(FATAL_ERROR "installs more than the Connect client: ${others}")
endif()

run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install/connect_only -B ${WORK}/program
    -DCMAKE_PREFIX_PATH=${WORK}/prefix ${options})
run(${CMAKE_COMMAND} --build ${WORK}/program)
run(${WORK}/program/connect_consumer)
