#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "apps/gateway/gateway_fixture.h"
#include "page_file.h"
#include "support/scratch_folder.h"

namespace cursor_gateway {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class PageTest : public GatewayFixture {
 protected:
  std::string Ask(const std::string& path, const std::string& fields = "",
                  const std::string& method = "GET") {
    RawClient client(port_);
    return client.Ask(method + " " + path +
                      " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + fields + "\r\n");
  }
};

// The value of the field with this name and its colon; "": there is none.
std::string FieldOf(const std::string& response, const std::string& name) {
  const size_t at = response.find("\r\n" + name + " ");
  if (at == std::string::npos) return "";
  const size_t start = at + name.size() + 3;
  return response.substr(start, response.find("\r\n", start) - start);
}

std::string TagOf(const std::string& response) { return FieldOf(response, "ETag:"); }

TEST_F(PageTest, ServesThePageAndItsFiles) {
  Start();
  const std::string page = Ask("/?from=somewhere");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, HasSubstr("Content-Type: text/html; charset=utf-8\r\n"));
  EXPECT_THAT(BodyOf(page), StartsWith("<!doctype html>"));
  EXPECT_THAT(page, HasSubstr("x-request-id: req_"));
  EXPECT_THAT(Ask("/page/app.js"), HasSubstr("Content-Type: text/javascript; charset=utf-8\r\n"));
  EXPECT_THAT(Ask("/page/style.css"), HasSubstr("Content-Type: text/css; charset=utf-8\r\n"));
  EXPECT_THAT(Ask("/page/icon.svg"), HasSubstr("Content-Type: image/svg+xml\r\n"));
  for (const PageFile& file : PageFiles()) {
    EXPECT_EQ(BodyOf(Ask("/page/" + std::string(file.name))), file.body) << file.name;
  }
  EXPECT_THAT(Log(), HasSubstr(" GET / 200 "));
  EXPECT_THAT(Log(), HasSubstr(" GET /page/{file} 200 "));
}

// A module that the page imports must be served too.
TEST_F(PageTest, HasAllThatItRefersTo) {
  std::string names;
  for (const PageFile& file : PageFiles()) names += std::string(file.name) + "\n";
  for (const PageFile& file : PageFiles()) {
    for (const std::string_view mark : {" from './", "\"/page/"}) {
      for (size_t at = 0; (at = file.body.find(mark, at)) != std::string_view::npos;) {
        at += mark.size();
        const std::string name(file.body.substr(at, file.body.find_first_of("'\"", at) - at));
        EXPECT_THAT(names, HasSubstr(name + "\n")) << file.name;
      }
    }
  }
}

TEST_F(PageTest, HasNoOtherFiles) {
  Start();
  for (const char* path : {"/page/", "/page/nothing.js", "/page/../route.h", "/page/%2e%2e/route.h",
                           "/page/app.js/", "/page/{file}", "/page", "/index.html"}) {
    EXPECT_THAT(Ask(path), StartsWith("HTTP/1.1 404")) << path;
  }
  EXPECT_THAT(Ask("/", "Content-Length: 0\r\n", "POST"), HasSubstr("Allow: GET, HEAD\r\n"));
}

TEST_F(PageTest, PermitsTheBrowserNothingElse) {
  Start();
  for (const char* path : {"/", "/page/app.js"}) {
    const std::string answer = Ask(path);
    EXPECT_THAT(answer, HasSubstr("Content-Security-Policy: default-src 'none'; script-src 'self'; "
                                  "style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                                  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"));
    EXPECT_THAT(answer, Not(HasSubstr("unsafe")));
    EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(answer, HasSubstr("Referrer-Policy: no-referrer\r\n"));
    EXPECT_THAT(answer, HasSubstr("Cache-Control: no-cache\r\n"));
    EXPECT_THAT(answer, Not(HasSubstr("Access-Control")));
  }
}

TEST_F(PageTest, SaysWhenTheBrowserHasItAlready) {
  Start();
  const std::string tag = TagOf(Ask("/"));
  EXPECT_NE(tag, TagOf(Ask("/page/app.js")));
  for (const std::string& list : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    const std::string answer = Ask("/", "If-None-Match: " + list + "\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 304")) << list;
    EXPECT_THAT(answer, HasSubstr("ETag: " + tag));
    EXPECT_THAT(answer, Not(HasSubstr("Content-Length")));
    EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
  }
  EXPECT_THAT(Ask("/", "If-None-Match: \"other\"\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("/", "If-None-Match:\r\n"), StartsWith("HTTP/1.1 200"));
  // The connection goes on after an answer without a length.
  RawClient client(port_);
  client.Send(Get("/", "If-None-Match: *\r\n") + Get("/healthz"));
  EXPECT_THAT(client.ReadUntil(R"({"status":"ok"})"), HasSubstr("HTTP/1.1 200"));
}

TEST_F(PageTest, AnswersHead) {
  Start();
  const std::string answer = Ask("/", "", "HEAD");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(FieldOf(answer, "Content-Length:"), Not(IsEmpty()));
  EXPECT_EQ(FieldOf(answer, "Content-Length:"), FieldOf(Ask("/"), "Content-Length:"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(PageTest, NeedsNoKeyButTheRightHost) {
  const cursorwire::test::ScratchFolder folder;
  std::ofstream(folder.path() + "/keys") << "secret-key-1\n";
  Start({}, {.keys = *ApiKeys::Load(folder.path() + "/keys")});
  EXPECT_THAT(Ask("/"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("/page/app.js"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("/v1/models"), StartsWith("HTTP/1.1 401"));
  RawClient client(port_);
  EXPECT_THAT(client.Ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
              StartsWith("HTTP/1.1 403"));
}

TEST_F(PageTest, OpensByAnAddressAndNotByALinkOfAnotherSite) {
  Start();
  EXPECT_THAT(Ask("/", "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n"),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("/page/app.js", "Sec-Fetch-Site: same-origin\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Ask("/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"),
              StartsWith("HTTP/1.1 403"));
}

}  // namespace
}  // namespace cursor_gateway
