# Compiles through ccache, so that nothing is compiled twice on a machine, whatever the folder. A
# launcher that the user has set is kept.
if(NOT CURSORWIRE_CCACHE OR CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
find_program(CURSORWIRE_CCACHE_PROGRAM ccache)
mark_as_advanced(CURSORWIRE_CCACHE_PROGRAM)
if(NOT CURSORWIRE_CCACHE_PROGRAM)
  return()
endif()
# Hashes ignore the source folder, so that one checkout can use the objects of another. (Their debug
# information may name the other checkout's sources.) Precompiled headers need the sloppiness that
# ccache's manual describes.
set(CMAKE_CXX_COMPILER_LAUNCHER
  ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
  CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  ${CURSORWIRE_CCACHE_PROGRAM})
