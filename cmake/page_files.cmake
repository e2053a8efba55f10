# Writes a C++ source that holds the files of the page of cursor-gateway:
#   cmake -DFOLDER=<folder> -DFILES=<name,name,...> -DOUTPUT=<file.cc> -P page_files.cmake
# It defines PageFiles() of apps/gateway/page_file.h. The tag of a file is a digest of its bytes.
cmake_minimum_required(VERSION 3.25)

set(type_of_html "text/html; charset=utf-8")
set(type_of_css "text/css; charset=utf-8")
set(type_of_js "text/javascript; charset=utf-8")
set(type_of_svg "image/svg+xml")

string(REPLACE "," ";" names ${FILES})
set(arrays "")
set(entries "")
set(number 0)
foreach(name IN LISTS names)
  string(REGEX REPLACE "^.*\\." "" extension ${name})
  if(NOT DEFINED type_of_${extension})
    message(FATAL_ERROR "page_files.cmake: the type of ${name} is not known")
  endif()
  file(READ ${FOLDER}/${name} bytes HEX)
  file(SHA256 ${FOLDER}/${name} digest)
  string(SUBSTRING ${digest} 0 32 tag)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kPageBytes${number}[] = {\n${bytes}\n};\n")
  string(APPEND entries "    {\"${name}\", \"${type_of_${extension}}\", \"\\\"${tag}\\\"\",\n"
                        "     BytesOf(kPageBytes${number})},\n")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE ${OUTPUT}.new "#include \"page_file.h\"

#include <cstddef>

namespace cursor_gateway {
namespace {

${arrays}
template <size_t kSize>
std::string_view BytesOf(const unsigned char (&bytes)[kSize]) {
  return {reinterpret_cast<const char*>(bytes), kSize};
}

}  // namespace

std::span<const PageFile> PageFiles() {
  static const PageFile files[] = {
${entries}  };
  return files;
}

}  // namespace cursor_gateway
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
