# Compiles through ccache, so that what was built once, in any folder of the machine, is not compiled
# again. Whoever sets a launcher of his own keeps it.
if(NOT CURSORWIRE_CCACHE OR CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
find_program(CURSORWIRE_CCACHE_PROGRAM ccache)
mark_as_advanced(CURSORWIRE_CCACHE_PROGRAM)
if(NOT CURSORWIRE_CCACHE_PROGRAM)
  return()
endif()
# The source folder does not count: the objects of one checkout serve another. (Debug information may
# name the sources of the former.) Precompiled headers need the sloppiness that ccache's manual names.
set(CMAKE_CXX_COMPILER_LAUNCHER
  ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
  CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  ${CURSORWIRE_CCACHE_PROGRAM})
