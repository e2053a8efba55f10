#include "mcp/http_error.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire::mcp {
namespace {

using enum ConfiguredHeaders;

TEST(HttpErrorText, TellsWhatTheServerSays) {
  struct Case {
    http::Head head;
    const char* body;
    const char* text;
  };
  const Case cases[] = {
      {{.status = 500}, "", "HTTP 500"},
      {{.status = 404, .content_type = "text/plain"},
       "404 page not found\n",
       "HTTP 404: 404 page not found"},
      {{.status = 502, .content_type = "text/html"}, "<html>", "HTTP 502"},
      {{.status = 302, .location = "https://id.example/login?state=secret#top"},
       "",
       "HTTP 302: it leads to https://id.example/login; only 307 and 308 on the same origin are "
       "followed"},
      {{.status = 308, .location = "https://user:key@other.example:8080/mcp"},
       "",
       "HTTP 308: it leads to https://other.example:8080/mcp; only 307 and 308 on the same origin "
       "are followed"},
      {{.status = 301, .location = "/mcp/"},
       "",
       "HTTP 301: it leads to /mcp/; only 307 and 308 on the same origin are followed"},
      {{.status = 307}, "", "HTTP 307"},
      {{.status = 304, .location = "/x"}, "", "HTTP 304"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(HttpErrorText(c.head, c.body, kNone), c.text);
  }
}

TEST(HttpErrorText, TellsWhyAServerDoesNotLetUsIn) {
  struct Case {
    const char* authenticate;
    const char* body;  // JSON
    const char* reason;
  };
  const Case cases[] = {
      {"", "", ""},
      {"Bearer", "", ""},
      {R"(Bearer realm="x, error=no")", "", ""},
      {R"(Bearer error="invalid_token", error_description="The access token expired")", "",
       "The access token expired (invalid_token); "},
      {R"(Basic realm="a", Bearer scope="b",Error=insufficient_scope)", "", "insufficient_scope; "},
      {R"(Bearer error_description="say \"please\"")", "", "say \"please\"; "},
      {"Bearer error=\"unended", "", "unended; "},
      {"Bearer error=", "", ""},
      {"", R"({"error":"invalid_token","error_description":"It is too old."})",
       "It is too old. (invalid_token); "},
      {"", R"({"error":{"code":1,"message":"x"}})", ""},
      {"", "no JSON", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.authenticate);
    const http::Head head{
        .status = 401, .content_type = "application/json", .authenticate = c.authenticate};
    EXPECT_EQ(HttpErrorText(head, c.body, kNone),
              "HTTP 401: " + std::string(c.reason) +
                  R"(it wants to know who asks: set "headers" for it)");
    EXPECT_EQ(HttpErrorText(head, c.body, kSome),
              "HTTP 401: " + std::string(c.reason) +
                  R"(it does not accept the "headers" that are set for it)");
  }
}

TEST(SaysThatSessionIsLost, KnowsTextsOfServers) {
  for (const char* text :
       {"Bad Request: No valid session ID provided", "Session not found", "invalid session",
        "Invalid or missing session ID", "Bad Request: Mcp-Session-Id header is required",
        "Bad Request: Server not initialized", "The session has expired.", "UNKNOWN SESSION"}) {
    EXPECT_TRUE(SaysThatSessionIsLost(text)) << text;
  }
  for (const char* text : {"", "Bad Request", "invalid params", "the tool was not found",
                           "your session is fine", "x is not initialized"}) {
    EXPECT_FALSE(SaysThatSessionIsLost(text)) << text;
  }
}

}  // namespace
}  // namespace cursorwire::mcp
