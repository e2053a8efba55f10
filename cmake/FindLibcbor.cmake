# Finds libcbor: reads and writes CBOR (RFC 8949).
# Defines the target Libcbor::libcbor.
find_package(PkgConfig QUIET)
pkg_check_modules(PC_LIBCBOR QUIET libcbor)

find_path(Libcbor_INCLUDE_DIR cbor.h HINTS ${PC_LIBCBOR_INCLUDE_DIRS})
find_library(Libcbor_LIBRARY cbor HINTS ${PC_LIBCBOR_LIBRARY_DIRS})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libcbor REQUIRED_VARS Libcbor_LIBRARY Libcbor_INCLUDE_DIR)

if(Libcbor_FOUND AND NOT TARGET Libcbor::libcbor)
  add_library(Libcbor::libcbor UNKNOWN IMPORTED)
  set_target_properties(Libcbor::libcbor PROPERTIES
    IMPORTED_LOCATION ${Libcbor_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Libcbor_INCLUDE_DIR})
endif()
mark_as_advanced(Libcbor_INCLUDE_DIR Libcbor_LIBRARY)
