# Finds libseccomp: filters of system calls.
# Defines the target Seccomp::seccomp.
find_package(PkgConfig QUIET)
pkg_check_modules(PC_SECCOMP QUIET libseccomp)

find_path(Seccomp_INCLUDE_DIR seccomp.h HINTS ${PC_SECCOMP_INCLUDE_DIRS})
find_library(Seccomp_LIBRARY seccomp HINTS ${PC_SECCOMP_LIBRARY_DIRS})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Seccomp REQUIRED_VARS Seccomp_LIBRARY Seccomp_INCLUDE_DIR)

if(Seccomp_FOUND AND NOT TARGET Seccomp::seccomp)
  add_library(Seccomp::seccomp UNKNOWN IMPORTED)
  set_target_properties(Seccomp::seccomp PROPERTIES
    IMPORTED_LOCATION ${Seccomp_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Seccomp_INCLUDE_DIR})
endif()
mark_as_advanced(Seccomp_INCLUDE_DIR Seccomp_LIBRARY)
