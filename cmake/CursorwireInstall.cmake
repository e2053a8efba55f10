include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cursorwire)

# One export for each component, so that a user of the first does not need what the second links.
function(cursorwire_install_component name)
  install(TARGETS ${ARGN} EXPORT cursorwire-${name}-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT cursorwire-${name}-targets NAMESPACE cursorwire:: DESTINATION ${package_dir})
endfunction()

cursorwire_install_component(connect cursorwire_connect_library)
if(CURSORWIRE_BUILD_AGENT)
  cursorwire_install_component(cursorwire cursorwire_library cursorwire_local_upstream_library)
  cursorwire_install_component(documents cursorwire_documents_library)
  cursorwire_install_component(mcp cursorwire_mcp_library)
  cursorwire_install_component(context cursorwire_context_library)
  cursorwire_install_component(crdt cursorwire_crdt_library)
  if(TARGET cursorwire_collab_library)
    cursorwire_install_component(collab cursorwire_collab_library)
  endif()
  if(TARGET cursorwire_desktop_library)
    cursorwire_install_component(desktop cursorwire_desktop_library)
  endif()
  if(TARGET cursorwire_otel_library)
    cursorwire_install_component(otel cursorwire_otel_library)
  endif()
  set(headers "")
else()
  set(headers FILES_MATCHING REGEX "/connect/[^/]+\\.h$" REGEX "/export\\.h$")
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${headers})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/cursorwire-config.cmake.in
  ${PROJECT_BINARY_DIR}/cursorwire-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/cursorwire-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cursorwire-config.cmake
              ${PROJECT_BINARY_DIR}/cursorwire-config-version.cmake
        DESTINATION ${package_dir})
if(NOT BUILD_SHARED_LIBS)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindNghttp2.cmake DESTINATION ${package_dir})
  if(CURSORWIRE_BUILD_AGENT)
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindLibcbor.cmake
                  ${PROJECT_SOURCE_DIR}/cmake/FindRe2.cmake
                  ${PROJECT_SOURCE_DIR}/cmake/FindSeccomp.cmake DESTINATION ${package_dir})
  endif()
endif()

# Paths in a pkg-config file are relative to the file, so that they are right for any --prefix.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR} OR IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
  set(prefix ${CMAKE_INSTALL_PREFIX})
  set(libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /prefix/${pkgconfig_dir} /prefix)
  string(REGEX REPLACE "/$" "" prefix "\${pcfiledir}/${up}")
  set(libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

# cursorwire_pkgconfig(NAME DESCRIPTION text LIB name REQUIRES ... PRIVATE ... LIBS_PRIVATE ...):
# PRIVATE lists what a shared library links itself. A static library does not, and pkg-config would
# leave it out without `--static`; so for static libraries it is required like the rest.
function(cursorwire_pkgconfig NAME)
  cmake_parse_arguments(PC "" "DESCRIPTION;LIB" "REQUIRES;PRIVATE;LIBS_PRIVATE" ${ARGN})
  set(LIBS "-L\${libdir} -l${PC_LIB}")
  if(NOT PC_LIB)
    set(LIBS "")
  endif()
  if(NOT BUILD_SHARED_LIBS)
    list(APPEND PC_REQUIRES ${PC_PRIVATE})
    list(APPEND LIBS ${PC_LIBS_PRIVATE})
    set(PC_PRIVATE "")
    set(PC_LIBS_PRIVATE "")
  endif()
  list(REMOVE_DUPLICATES PC_REQUIRES)
  list(JOIN PC_REQUIRES ", " REQUIRES)
  list(JOIN PC_PRIVATE ", " PRIVATE)
  list(JOIN LIBS " " LIBS)
  list(JOIN PC_LIBS_PRIVATE " " LIBS_PRIVATE)
  set(DESCRIPTION ${PC_DESCRIPTION})
  set(file ${PROJECT_BINARY_DIR}/${NAME}.pc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/pkgconfig.pc.in ${file} @ONLY)
  install(FILES ${file} DESTINATION ${pkgconfig_dir})
endfunction()

set(this_version "= ${PROJECT_VERSION}")
cursorwire_pkgconfig(cursorwire-connect
  DESCRIPTION "Client of the Connect protocol over HTTP/2"
  LIB cursorwire_connect
  REQUIRES absl_status absl_statusor
  PRIVATE absl_strings absl_cord absl_flat_hash_map absl_btree
          "libnghttp2 >= 1.52" "libssl >= 3.0" "libcrypto >= 3.0" zlib
  LIBS_PRIVATE -pthread)
if(TARGET cursor-h2-bridge)
  install(TARGETS cursor-h2-bridge RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(BUILD_SHARED_LIBS AND NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH libraries /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
    set_target_properties(cursor-h2-bridge PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  endif()
endif()
if(NOT CURSORWIRE_BUILD_AGENT)
  return()
endif()
set(seccomp "")
if(Seccomp_FOUND)
  set(seccomp libseccomp)
endif()
cursorwire_pkgconfig(cursorwire
  DESCRIPTION "Unofficial client of Cursor's agent service"
  LIB cursorwire
  REQUIRES "cursorwire-connect ${this_version}" absl_status absl_statusor
  PRIVATE protobuf "libcrypto >= 3.0" re2 ${seccomp} absl_strings)
if(BUILD_SHARED_LIBS)
  set(local_upstream_library "")  # part of libcursorwire
else()
  set(local_upstream_library LIB cursorwire_local_upstream)
endif()
cursorwire_pkgconfig(cursorwire-local-upstream
  DESCRIPTION "Stand-in for Cursor's agent service, for tests"
  ${local_upstream_library}
  REQUIRES "cursorwire ${this_version}" absl_status absl_statusor
  PRIVATE protobuf "libnghttp2 >= 1.52" "libssl >= 3.0" "libcrypto >= 3.0" absl_strings
  LIBS_PRIVATE -pthread)

cursorwire_pkgconfig(cursorwire-documents
  DESCRIPTION "Answers of Cursor's agent service as typed parts"
  LIB cursorwire_documents
  REQUIRES "cursorwire ${this_version}" absl_status absl_statusor
  PRIVATE absl_strings "libcrypto >= 3.0")
cursorwire_pkgconfig(cursorwire-mcp
  DESCRIPTION "Tools of servers of the Model Context Protocol"
  LIB cursorwire_mcp
  REQUIRES "cursorwire ${this_version}" absl_status absl_statusor
  PRIVATE absl_strings "libcrypto >= 3.0"
  LIBS_PRIVATE -pthread -ldl)
cursorwire_pkgconfig(cursorwire-context
  DESCRIPTION "What a project and an editor tell Cursor's agent beside a prompt"
  LIB cursorwire_context
  REQUIRES "cursorwire ${this_version}" absl_status absl_statusor
  PRIVATE absl_strings "libcrypto >= 3.0")
cursorwire_pkgconfig(cursorwire-crdt
  DESCRIPTION "Texts that several people write at once, as Automerge has them"
  LIB cursorwire_crdt
  REQUIRES "cursorwire-connect ${this_version}" absl_status absl_statusor
  PRIVATE absl_strings absl_flat_hash_map absl_flat_hash_set absl_btree "libcrypto >= 3.0" zlib)
if(TARGET cursorwire_collab_library)
  cursorwire_pkgconfig(cursorwire-collab
    DESCRIPTION "Texts that people, editors and agents edit at the same time"
    LIB cursorwire_collab
    REQUIRES "cursorwire-crdt ${this_version}" absl_status absl_statusor
    PRIVATE absl_strings libcbor re2 "libssl >= 3.0" "libcrypto >= 3.0"
    LIBS_PRIVATE -pthread -ldl)
endif()
if(TARGET cursorwire_desktop_library)
  cursorwire_pkgconfig(cursorwire-desktop
    DESCRIPTION "The login of Cursor's desktop application"
    LIB cursorwire_desktop
    REQUIRES "cursorwire ${this_version}" absl_status absl_statusor
    PRIVATE sqlite3)
endif()
if(TARGET cursorwire_otel_library)
  cursorwire_pkgconfig(cursorwire-otel
    DESCRIPTION "OpenTelemetry spans and metrics of calls"
    LIB cursorwire_otel
    REQUIRES "cursorwire ${this_version}" absl_status absl_statusor opentelemetry_api
    PRIVATE absl_strings "libcrypto >= 3.0" zlib)
endif()

if(TARGET cursor-chat)
  set(installed_programs cursor-chat local-upstream)
  set(man_pages ${PROJECT_BINARY_DIR}/share/man/man1/cursor-chat.1)
  if(TARGET cursor-collab)
    list(APPEND installed_programs cursor-collab)
    list(APPEND man_pages ${PROJECT_BINARY_DIR}/share/man/man1/cursor-collab.1)
  endif()
  if(TARGET cursor-gateway)
    list(APPEND installed_programs cursor-gateway)
    # It names the program, whose place may be chosen as late as by --prefix.
    install(CODE "
      set(bindir \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
      configure_file(${PROJECT_SOURCE_DIR}/packaging/systemd/cursor-gateway.service.in
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/user/cursor-gateway.service\" @ONLY)
      message(STATUS \"Installing: \${CMAKE_INSTALL_PREFIX}/lib/systemd/user/cursor-gateway.service\")")
  endif()
  install(TARGETS ${installed_programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  if(BUILD_SHARED_LIBS AND NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH libraries /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
    set_target_properties(${installed_programs} PROPERTIES
      INSTALL_RPATH "$ORIGIN/${libraries}")
  endif()
endif()
