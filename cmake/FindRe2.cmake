# Finds RE2, for which Debian 12 ships no CMake package.
# Defines the target Re2::re2. With Re2_USE_STATIC_LIBS it is the archive.
find_package(PkgConfig QUIET)
pkg_check_modules(PC_RE2 QUIET re2)

find_path(Re2_INCLUDE_DIR re2/re2.h HINTS ${PC_RE2_INCLUDE_DIRS})
set(_re2_name re2)
if(Re2_USE_STATIC_LIBS)
  set(_re2_name libre2.a)
endif()
find_library(Re2_LIBRARY ${_re2_name} HINTS ${PC_RE2_LIBRARY_DIRS})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Re2 REQUIRED_VARS Re2_LIBRARY Re2_INCLUDE_DIR)

if(Re2_FOUND AND NOT TARGET Re2::re2)
  find_package(Threads REQUIRED)
  add_library(Re2::re2 UNKNOWN IMPORTED)
  set_target_properties(Re2::re2 PROPERTIES
    IMPORTED_LOCATION ${Re2_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Re2_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
mark_as_advanced(Re2_INCLUDE_DIR Re2_LIBRARY)
