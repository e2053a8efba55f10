#ifndef CURSORWIRE_TESTS_APPS_H2_BRIDGE_PROCESS_SUPPORT_H_
#define CURSORWIRE_TESTS_APPS_H2_BRIDGE_PROCESS_SUPPORT_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "child.h"
#include "support/test_server.h"

namespace h2_bridge {

inline constexpr char kToken[] = "secret-token-of-the-user";
inline constexpr char kOpen[] = R"({"cmd":"open"})";
inline constexpr std::string_view kDone = "PI_CURSOR_STREAM_DONE";

// A configuration: `more` are further members, such as R"("persistent":true)".
inline std::string ConfigOf(const std::string& url, const std::string& path,
                            const std::string& more = "") {
  return R"({"accessToken":")" + std::string(kToken) + R"(","url":")" + url + R"(","path":")" +
         path + "\"" + (more.empty() ? "" : "," + more) + "}";
}

inline constexpr char kNewer[] = R"("persistent":false)";
inline constexpr char kPersistent[] = R"("persistent":true)";
inline constexpr char kUnary[] = R"("unary":true)";

// Sends each piece of the body back as it is, and ends after the client did.
inline cursorwire::test::Behaviour Echo() {
  using cursorwire::test::Exchange;
  return {.on_headers =
              [](Exchange& exchange) {
                exchange.SendHeaders({{":status", "200"}});
              },
          .on_body = [](Exchange& exchange) { exchange.SendBody(exchange.TakeBody()); },
          .on_end = [](Exchange& exchange) { exchange.Finish(); }};
}

// Answers with these bytes as soon as the headers are there.
inline cursorwire::test::Behaviour AnswerWith(std::string bytes) {
  using cursorwire::test::Exchange;
  return {.on_headers = [bytes = std::move(bytes)](Exchange& exchange) {
    exchange.SendHeaders({{":status", "200"}});
    exchange.SendBody(bytes);
    exchange.Finish();
  }};
}

// The headers of a response, and nothing else.
inline cursorwire::test::Behaviour HeadersOnly() {
  using cursorwire::test::Exchange;
  return {.on_headers = [](Exchange& exchange) { exchange.SendHeaders({{":status", "200"}}); }};
}

}  // namespace h2_bridge

#endif  // CURSORWIRE_TESTS_APPS_H2_BRIDGE_PROCESS_SUPPORT_H_
