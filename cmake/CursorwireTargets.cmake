# Flags for our own code, and the one way to declare a layer.

add_library(cursorwire_warnings INTERFACE)
target_compile_options(cursorwire_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  $<$<BOOL:${CURSORWIRE_WERROR}>:-Werror>)
if(CURSORWIRE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # In a batch the compiler takes source files for headers, for which this warning would be right.
  target_compile_options(cursorwire_warnings INTERFACE -Wno-subobject-linkage)
endif()

# g++ looks for garbage at 128 MiB, and again at each doubling: a tenth of the time of a batch, which
# takes more than that anyway.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options("SHELL:--param ggc-min-heapsize=524288")
endif()

# Linked by everything that is compiled here, including generated code.
add_library(cursorwire_instrumentation INTERFACE)
target_compile_definitions(cursorwire_instrumentation INTERFACE
  $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(CURSORWIRE_SANITIZE)
  target_compile_options(cursorwire_instrumentation INTERFACE
    -fsanitize=${CURSORWIRE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(cursorwire_instrumentation INTERFACE -fsanitize=${CURSORWIRE_SANITIZE})
  if(CURSORWIRE_SANITIZE MATCHES thread)
    # If this is defined, protobuf's MapField has two more members, but the installed library was
    # built without them.
    target_compile_options(cursorwire_instrumentation INTERFACE -U__SANITIZE_THREAD__)
  endif()
endif()

# Linked after cursorwire_instrumentation; they remove a part of its options. Generated code is
# protoc's, and libprotobuf is not instrumented at all. A test crashes on a null pointer even
# without a check before each access.
add_library(cursorwire_instrumentation_of_generated_code INTERFACE)
add_library(cursorwire_instrumentation_of_tests INTERFACE)
if(CURSORWIRE_SANITIZE MATCHES undefined)
  target_compile_options(cursorwire_instrumentation_of_generated_code INTERFACE
    -fno-sanitize=undefined)
  target_compile_options(cursorwire_instrumentation_of_tests INTERFACE
    -fno-sanitize=null,alignment)
endif()

# Linked by the code under fuzzing: fuzzers are guided by which of its branches were taken.
add_library(cursorwire_coverage INTERFACE)
if(CURSORWIRE_BUILD_FUZZERS)
  target_compile_options(cursorwire_coverage INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Most of the cost of compiling one of our files is reading headers. So the files of a target are
# compiled several at a time (docs/building.md says what that requires), unless CURSORWIRE_UNITY is
# off. Each file still includes what it uses; scripts/deep.sh compiles each file alone.
#   cursorwire_batch(TARGET [MOST <files>]): batches of equal size, with at most 20 files.
function(cursorwire_batch target)
  cmake_parse_arguments(ARG "" "MOST" "" ${ARGN})
  if(NOT ARG_MOST)
    set(ARG_MOST 20)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(LENGTH sources files)
  math(EXPR batches "(${files} + ${ARG_MOST} - 1) / ${ARG_MOST}")
  math(EXPR size "(${files} + ${batches} - 1) / ${batches}")
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${CURSORWIRE_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# One folder of src/ is one object library; an installed library consists of several of them.
# DEPS may name only layers below; of those in USES it sees the public headers alone, and its library is
# linked with theirs. tests/include_rules.cmake checks the #include lines by both.
function(cursorwire_layer name)
  cmake_parse_arguments(LAYER "" "BATCH" "SOURCES;DEPS;USES;LIBS;OPTIONS" ${ARGN})
  add_library(cursorwire_${name} OBJECT ${LAYER_SOURCES})
  cursorwire_batch(cursorwire_${name} MOST ${LAYER_BATCH})
  target_compile_options(cursorwire_${name} PRIVATE ${LAYER_OPTIONS})
  target_include_directories(cursorwire_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(cursorwire_${name} PRIVATE
    cursorwire_warnings cursorwire_instrumentation cursorwire_coverage cursorwire_hardening)
  cursorwire_hide(cursorwire_${name})
  foreach(dep IN LISTS LAYER_DEPS)
    target_link_libraries(cursorwire_${name} PUBLIC cursorwire_${dep})
  endforeach()
  target_link_libraries(cursorwire_${name} PUBLIC absl::status absl::statusor ${LAYER_LIBS})
endfunction()

# Exports only what is marked CURSORWIRE_EXPORT.
function(cursorwire_hide target)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# A library that users link: the objects of its layers and their dependencies. A shared library does
# not export its internals to another one; what it uses of other libraries' layers (USES) is linked
# into it again, hidden. Layers keep no state outside of their objects, so two copies do not
# conflict.
function(cursorwire_library name)
  cmake_parse_arguments(LIB "" "EXPORT_NAME;OUTPUT_NAME" "LAYERS;USES;PUBLIC;PRIVATE" ${ARGN})
  list(TRANSFORM LIB_LAYERS REPLACE "(.+)" "$<TARGET_OBJECTS:cursorwire_\\1>")
  add_library(${name} ${LIB_LAYERS})
  add_library(cursorwire::${LIB_EXPORT_NAME} ALIAS ${name})
  set_target_properties(${name} PROPERTIES
    EXPORT_NAME ${LIB_EXPORT_NAME} OUTPUT_NAME ${LIB_OUTPUT_NAME}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    INSTALL_RPATH "$ORIGIN")
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC absl::status absl::statusor ${LIB_PUBLIC})
  if(BUILD_SHARED_LIBS)
    cursorwire_link_shared(${name} ${LIB_USES})
  endif()
  target_link_libraries(${name}
    PRIVATE ${LIB_PRIVATE} $<BUILD_INTERFACE:cursorwire_instrumentation>)
endfunction()

# These copies come after the libraries of PUBLIC in link order, so exported symbols are used first.
function(cursorwire_link_shared name)
  if(ARGN)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:cursorwire_\\1>" OUTPUT_VARIABLE objects)
    add_library(${name}_internals STATIC ${objects})
    target_link_libraries(${name} PRIVATE ${name}_internals)
    target_link_options(${name} PRIVATE
      LINKER:--exclude-libs,$<TARGET_FILE_NAME:${name}_internals>)
  endif()
  # Instances of standard library templates are exported whatever the visibility option says.
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  target_link_options(${name} PRIVATE LINKER:--version-script,${exports})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports})
  target_link_libraries(${name} PRIVATE cursorwire_hardening)
  if(NOT CURSORWIRE_SANITIZE)
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
endfunction()
