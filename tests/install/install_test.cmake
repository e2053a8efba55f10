# Installs the build into a scratch prefix, and builds and runs programs against that alone.
#   cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCXX=... -DFLAGS=... -P install_test.cmake
# The build may be of static or of shared libraries.
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

function(expect_answer to)
  run(${ARGN})
  if(NOT output MATCHES "You said: \"${to}\"")
    message(FATAL_ERROR "${ARGN} said: ${output}")
  endif()
endfunction()

# Debug as the libraries are, but nobody debugs these programs: most of linking them would be copying
# what a debugger reads of the libraries.
set(strip -Wl,--strip-debug)
function(configure source name)
  run(${CMAKE_COMMAND} -S ${source} -B ${WORK}/${name} -G Ninja
      -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX}
      -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=
      -DCMAKE_EXE_LINKER_FLAGS=${strip} ${ARGN})
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
expect_answer("installed" ${WORK}/prefix/bin/cursor-chat --local "installed")
if(EXISTS ${BUILD}/bin/cursor-h2-bridge)
  run(${WORK}/prefix/bin/cursor-h2-bridge --version)
  if(NOT output MATCHES "^cursor-h2-bridge [0-9.]+")
    message(FATAL_ERROR "cursor-h2-bridge --version said: ${output}")
  endif()
endif()

# The service: its program is there, takes its options, and systemd its lines.
if(EXISTS ${BUILD}/bin/cursor-gateway)
  set(unit ${WORK}/prefix/lib/systemd/user/cursor-gateway.service)
  file(STRINGS ${unit} command REGEX "^ExecStart=")
  string(REGEX REPLACE "^ExecStart=" "" command "${command}")
  separate_arguments(command UNIX_COMMAND "${command}")
  list(POP_FRONT command program)
  if(NOT EXISTS ${program})
    message(FATAL_ERROR "${unit} starts ${program}, which is not installed")
  endif()
  run(${program} --help)
  foreach(word IN LISTS command)
    if(word MATCHES "^--" AND NOT output MATCHES "${word} ")
      message(FATAL_ERROR "${unit} gives an option that the program does not have: ${word}")
    endif()
  endforeach()
  find_program(SYSTEMD_ANALYZE systemd-analyze)
  if(SYSTEMD_ANALYZE)
    run(${CMAKE_COMMAND} -E env XDG_RUNTIME_DIR=${WORK}
        ${SYSTEMD_ANALYZE} --user --man=no verify ${unit})
    if(output MATCHES "cursor-gateway")
      message(FATAL_ERROR "systemd-analyze verify said: ${output}")
    endif()
  endif()
endif()

# find_package()
configure(${SOURCE}/tests/install/consumer consumer)
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
expect_answer("from an installed package" ${WORK}/consumer/consumer)
run(${WORK}/consumer/connect_consumer)
run(${WORK}/consumer/handlers_consumer)

# One component of it, where the packages of the others are not installed.
configure(${SOURCE}/tests/install/connect_only connect_only ${without_agent_packages})
run(${CMAKE_COMMAND} --build ${WORK}/connect_only)
run(${WORK}/connect_only/connect_consumer)

# examples/ alone. The programs of more than one file differ in nothing that matters here.
configure(${SOURCE}/examples examples)
run(${CMAKE_COMMAND} --build ${WORK}/examples --target own_loop project_context
    quickstart)
expect_answer("a loop of my own" ${WORK}/examples/own_loop "a loop of my own")

# pkg-config, with and without --static: the objects are there already.
file(GLOB_RECURSE packages ${WORK}/prefix/*/cursorwire.pc)
get_filename_component(pkgconfig ${packages} DIRECTORY)
get_filename_component(libraries ${pkgconfig} DIRECTORY)
find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
set(ENV{PKG_CONFIG_PATH} ${pkgconfig})
set(ENV{LD_LIBRARY_PATH} ${libraries})
separate_arguments(FLAGS UNIX_COMMAND "${FLAGS}")

# The rest of the arguments is pkg-config's: packages, and options.
function(link_with_pkg_config program object)
  run(${PKG_CONFIG} --libs ${ARGN})
  separate_arguments(libs UNIX_COMMAND "${output}")
  run(${CXX} ${FLAGS} ${strip} ${object} -o ${WORK}/${program} ${libs})
endfunction()

run(${PKG_CONFIG} --cflags cursorwire-connect)
separate_arguments(cflags UNIX_COMMAND "${output}")
run(${CXX} -std=c++20 ${FLAGS} ${cflags} -c ${SOURCE}/tests/install/consumer/connect.cc
    -o ${WORK}/connect.o)
set(object_of_consumer ${WORK}/consumer/CMakeFiles/consumer.dir/main.cc.o)
link_with_pkg_config(connect_pc ${WORK}/connect.o cursorwire-connect)
run(${WORK}/connect_pc)
link_with_pkg_config(handlers_pc
  ${WORK}/consumer/CMakeFiles/handlers_consumer.dir/handlers.cc.o cursorwire)
run(${WORK}/handlers_pc)
link_with_pkg_config(consumer_pc ${object_of_consumer} cursorwire-local-upstream)
run(${WORK}/consumer_pc)
link_with_pkg_config(context_pc
  ${WORK}/examples/CMakeFiles/project_context.dir/project_context.cc.o cursorwire-context)
# --static names more libraries than that: they must be there, those of all packages at once.
link_with_pkg_config(static_pc ${object_of_consumer} --static cursorwire-connect cursorwire
  cursorwire-local-upstream cursorwire-context)
run(${WORK}/static_pc)
