# Finds libedit, which ships no CMake package.
# Defines the target LibEdit::edit.
find_package(PkgConfig QUIET)
pkg_check_modules(PC_LIBEDIT QUIET libedit)

find_path(LibEdit_INCLUDE_DIR histedit.h HINTS ${PC_LIBEDIT_INCLUDE_DIRS})
find_library(LibEdit_LIBRARY edit HINTS ${PC_LIBEDIT_LIBRARY_DIRS})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibEdit REQUIRED_VARS LibEdit_LIBRARY LibEdit_INCLUDE_DIR)

if(LibEdit_FOUND AND NOT TARGET LibEdit::edit)
  add_library(LibEdit::edit UNKNOWN IMPORTED)
  set_target_properties(LibEdit::edit PROPERTIES
    IMPORTED_LOCATION ${LibEdit_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LibEdit_INCLUDE_DIR})
endif()
mark_as_advanced(LibEdit_INCLUDE_DIR LibEdit_LIBRARY)
