include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cursorwire)

install(TARGETS cursorwire_connect_library cursorwire_library cursorwire_local_upstream_library
        EXPORT cursorwire-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cursorwire-targets NAMESPACE cursorwire:: DESTINATION ${package_dir})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/cursorwire-config.cmake.in
  ${PROJECT_BINARY_DIR}/cursorwire-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cursorwire-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cursorwire-config.cmake
              ${PROJECT_BINARY_DIR}/cursorwire-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindNghttp2.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindRe2.cmake
        DESTINATION ${package_dir})
if(TARGET cursor-chat)
  install(TARGETS cursor-chat local-upstream RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
