#ifndef CURSORWIRE_SRC_MCP_HTTP_EXCHANGE_H_
#define CURSORWIRE_SRC_MCP_HTTP_EXCHANGE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/connect/time_point.h"
#include "http/event_parser.h"
#include "http/message.h"
#include "jsonrpc/json_text.h"

namespace cursorwire::mcp {

// What a request of HTTP is made for.
enum class Purpose {
  kInitialize,   // the first message of the handshake
  kInitialized,  // the second one, which expects no answer
  kRequest,      // any other line of the client's that expects an answer
  kNote,         // any other line of the client's that expects none
  kRenewal,      // kInitialize once more, in place of the client
  kListen,       // for what the server sends unasked; has no line
};

// How far it has come.
enum class Step {
  kAsked,       // the line was sent
  kAskedAgain,  // the same, after a forgotten session had refused it
  kResumed,     // the answer was cut, and the rest of it was asked for
  kAnswered,    // the client has the answer, or an error in its place: it expects nothing more
};

// What a server has made of the handshake.
struct HttpSession {
  std::string id{};         // empty: the server has no sessions
  std::string version{};    // of the protocol; empty: there was no handshake
  bool has_worked = false;  // a request was answered in it
};

// A request of HTTP and what came back. A value.
struct HttpExchange {
  Purpose purpose = Purpose::kListen;
  Step step = Step::kAsked;
  std::string line{};
  jsonrpc::Json message{};     // of `line`
  jsonrpc::Json request_id{};  // null: no answer is expected
  std::string session{};       // that it was sent in
  http::Head head{};
  std::string body{};
  http::EventParser events{};
  size_t attempts = 0;     // to resume it, in a row
  size_t resumptions = 0;  // in all
  // When it is given up; only if the session does not wait for it.
  std::optional<connect::TimePoint> limit_at{};

  bool is_note() const { return purpose == Purpose::kNote || purpose == Purpose::kInitialized; }
  bool begins_session() const {
    return purpose == Purpose::kInitialize || purpose == Purpose::kRenewal;
  }
  bool expects_answer() const { return !request_id.is_null() && step != Step::kAnswered; }
  // It sends its line; else it reads a stream.
  bool posts() const { return purpose != Purpose::kListen && step != Step::kResumed; }
  std::string method() const;  // of the message
  // The protocol without a handshake says its version in each message; else empty.
  std::string modern_version() const;

  bool succeeded() const { return head.status >= 200 && head.status < 300; }
  bool has_json() const { return head.content_type == "application/json"; }
  bool has_events() const { return succeeded() && head.content_type == "text/event-stream"; }

  // Forgets what came, to read the rest of it.
  void Restart();
  // The request to send, with `headers` first.
  http::Request Request(uint64_t id, const HttpSession& current, http::Headers headers) const;
};

// Of a session or an event: what a server sends must not become headers of ours.
bool IsVisible(std::string_view text);

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_HTTP_EXCHANGE_H_
