# Finds libnghttp2, for which Debian ships no CMake package.
# Defines the target Nghttp2::nghttp2. With Nghttp2_USE_STATIC_LIBS it is the archive.
find_package(PkgConfig QUIET)
pkg_check_modules(PC_NGHTTP2 QUIET libnghttp2)

find_path(Nghttp2_INCLUDE_DIR nghttp2/nghttp2.h HINTS ${PC_NGHTTP2_INCLUDE_DIRS})
set(_nghttp2_name nghttp2)
if(Nghttp2_USE_STATIC_LIBS)
  set(_nghttp2_name libnghttp2.a)
endif()
find_library(Nghttp2_LIBRARY ${_nghttp2_name} HINTS ${PC_NGHTTP2_LIBRARY_DIRS})
if(Nghttp2_INCLUDE_DIR AND EXISTS ${Nghttp2_INCLUDE_DIR}/nghttp2/nghttp2ver.h)
  file(STRINGS ${Nghttp2_INCLUDE_DIR}/nghttp2/nghttp2ver.h _nghttp2_version
       REGEX "^#define NGHTTP2_VERSION \"[^\"]+\"")
  string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" Nghttp2_VERSION "${_nghttp2_version}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Nghttp2
  REQUIRED_VARS Nghttp2_LIBRARY Nghttp2_INCLUDE_DIR
  VERSION_VAR Nghttp2_VERSION)

if(Nghttp2_FOUND AND NOT TARGET Nghttp2::nghttp2)
  add_library(Nghttp2::nghttp2 UNKNOWN IMPORTED)
  set_target_properties(Nghttp2::nghttp2 PROPERTIES
    IMPORTED_LOCATION ${Nghttp2_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Nghttp2_INCLUDE_DIR})
endif()
mark_as_advanced(Nghttp2_INCLUDE_DIR Nghttp2_LIBRARY)
