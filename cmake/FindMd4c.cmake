# Finds md4c: a parser of Markdown.
# Defines the target Md4c::md4c.
find_package(PkgConfig QUIET)
pkg_check_modules(PC_MD4C QUIET md4c)

find_path(Md4c_INCLUDE_DIR md4c.h HINTS ${PC_MD4C_INCLUDE_DIRS})
find_library(Md4c_LIBRARY md4c HINTS ${PC_MD4C_LIBRARY_DIRS})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Md4c REQUIRED_VARS Md4c_LIBRARY Md4c_INCLUDE_DIR)

if(Md4c_FOUND AND NOT TARGET Md4c::md4c)
  add_library(Md4c::md4c UNKNOWN IMPORTED)
  set_target_properties(Md4c::md4c PROPERTIES
    IMPORTED_LOCATION ${Md4c_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Md4c_INCLUDE_DIR})
endif()
mark_as_advanced(Md4c_INCLUDE_DIR Md4c_LIBRARY)
