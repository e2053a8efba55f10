# Flags that make memory errors harder to exploit, for optimised builds of our objects, programs and
# shared libraries. Users of the libraries choose their own flags.
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

add_library(cursorwire_hardening INTERFACE)
# Position-independent programs, which are loaded at a different address in each run:
# CMAKE_POSITION_INDEPENDENT_CODE compiles them so, and this links them so.
check_pie_supported(LANGUAGES CXX)

set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
if(CURSORWIRE_HARDENING AND NOT CURSORWIRE_SANITIZE)
  # Some compilers already define it, and would warn about a second definition.
  target_compile_options(cursorwire_hardening INTERFACE
    $<${optimised}:-U_FORTIFY_SOURCE> $<${optimised}:-D_FORTIFY_SOURCE=2>)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "CURSORWIRE_HAS${flag}" has)
    check_cxx_compiler_flag(${flag} ${has})
    if(${has})
      target_compile_options(cursorwire_hardening INTERFACE $<${optimised}:${flag}>)
    endif()
  endforeach()
  check_linker_flag(CXX LINKER:-z,relro,-z,now CURSORWIRE_HAS_RELRO)
  if(CURSORWIRE_HAS_RELRO)
    target_link_options(cursorwire_hardening INTERFACE $<${optimised}:LINKER:-z,relro,-z,now>)
  endif()
endif()
