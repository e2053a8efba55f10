#include "page_file.h"

#include <algorithm>
#include <string>

#include "api/api_error.h"
#include "error_answer.h"

namespace cursor_gateway {
namespace {

constexpr std::string_view kStartFile = "index.html";

// Nothing but the files of the page and the endpoints of this gateway, and no code that stands in
// HTML or is made from a text: what a model writes can do nothing, even where the page has an
// error. Pictures as data are for the mark of the browser's tab.
constexpr char kContentSecurityPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'";

// Whether the header If-None-Match names the tag: it is a list of tags, or "*". Weak tags count as
// the same. Source: RFC 9110, 13.1.2.
bool NamesTag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    std::string_view entry = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    while (entry.starts_with(' ') || entry.starts_with('\t')) entry.remove_prefix(1);
    while (entry.ends_with(' ') || entry.ends_with('\t')) entry.remove_suffix(1);
    if (entry == "*") return true;
    if (entry.starts_with("W/")) entry.remove_prefix(2);
    if (entry == tag) return true;
  }
  return false;
}

}  // namespace

HttpAnswer PageAnswer(const HttpHead& head, std::string_view name) {
  if (name.empty()) name = kStartFile;
  const auto files = PageFiles();
  const auto file = std::find_if(files.begin(), files.end(),
                                 [name](const PageFile& each) { return each.name == name; });
  if (file == files.end()) {
    return ErrorAnswer(
        {.status = 404, .type = "invalid_request_error", .message = "the page has no such file"});
  }
  HttpAnswer answer{.fields = {{"ETag", std::string(file->tag)},
                               {"Cache-Control", "no-cache"},
                               {"Content-Security-Policy", kContentSecurityPolicy},
                               {"Referrer-Policy", "no-referrer"},
                               {"X-Content-Type-Options", "nosniff"}}};
  const std::string* known = head.Find("if-none-match");
  if (known != nullptr && NamesTag(*known, file->tag)) {
    answer.status = 304;
    return answer;
  }
  answer.fields.emplace_back("Content-Type", file->content_type);
  answer.lasting_body = file->body;
  return answer;
}

}  // namespace cursor_gateway
