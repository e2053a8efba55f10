#ifndef CURSORWIRE_APPS_GATEWAY_PAGE_FILE_H_
#define CURSORWIRE_APPS_GATEWAY_PAGE_FILE_H_

#include <span>
#include <string_view>

#include "http/http_message.h"

namespace cursor_gateway {

// A file of the page, as it was when the program was built. The views are of constants.
struct PageFile {
  std::string_view name{};  // within apps/gateway/page
  std::string_view content_type{};
  std::string_view tag{};  // with its quotes, as the header ETag has it
  std::string_view body{};
};

// All files of the page. The build writes this function: cmake/page_files.cmake.
std::span<const PageFile> PageFiles();

// The answer to a GET or HEAD of a file of the page. An empty name stands for the page itself.
// 304 if the client has this very file, 404 if there is no such file.
HttpAnswer PageAnswer(const HttpHead& head, std::string_view name);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_PAGE_FILE_H_
