#ifndef CURSORWIRE_SRC_MCP_HTTP_DIALOG_H_
#define CURSORWIRE_SRC_MCP_HTTP_DIALOG_H_

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/time_point.h"
#include "jsonrpc/json_text.h"
#include "mcp/event_parser.h"
#include "mcp/http_message.h"

namespace cursorwire::mcp {

// The HTTP transport of the Model Context Protocol ("streamable HTTP"): messages that are lines on
// one side, requests of HTTP and their answers on the other. Each message is a POST. An answer is
// JSON or a stream of events, which is gone on with where it was cut if the server gives its events
// ids. A session that the server has forgotten is begun anew, and what it refused therefore is sent
// again, but for calls where it is not certain that they were not carried out. Nothing else is ever
// sent twice. What fails becomes an error answer to the message, or failure() if nothing can be
// asked of the server at all. Without I/O, clock or thread.
//
// Order: Send(), OnEvent() and OnDeadline() as they come; after each, NextRequest(), NextAbort()
// and TakeOutput(). Thread-compatible. Source: docs/mcp.md, servers over HTTP.
class HttpDialog {
 public:
  explicit HttpDialog(HttpHeaders headers) : headers_(std::move(headers)) {}

  // Whole lines of the client's.
  void Send(std::string_view lines, connect::TimePoint now);
  void OnEvent(HttpEvent event, connect::TimePoint now);
  std::optional<connect::TimePoint> deadline() const;
  void OnDeadline(connect::TimePoint now);

  // What is to be sent, and the exchange that is to be given up, until there is none.
  std::optional<HttpRequest> NextRequest();
  std::optional<uint64_t> NextAbort();
  // Lines of the server's.
  std::string TakeOutput() { return std::exchange(output_, {}); }
  // False while the server does not take messages that need no answer: what else it sends would
  // only make more of them.
  bool wants_input() const { return notes_.empty(); }

  // Why nothing can be asked of this server; it stays.
  const absl::Status& failure() const { return failure_; }

  // Gives up all, and tells the server that its session is over. nullopt: it has none.
  std::optional<HttpRequest> Close();

 private:
  using Json = jsonrpc::Json;

  enum class Kind {
    kMessage,  // a line of the client's
    kRenewal,  // the handshake once more
    kListen,   // for what the server sends unasked
  };
  struct Exchange {
    Kind kind = Kind::kMessage;
    std::string line{};
    Json message{};        // of `line`
    Json request_id{};     // null: no answer is expected
    bool resumes = false;  // a stream that was cut
    bool again = false;    // as of Line
    std::string session{};
    HttpHead head{};
    std::string body{};
    EventParser events{};
    size_t attempts = 0;     // to resume it, in a row
    size_t resumptions = 0;  // in all
    bool answered = false;
    // Of what no session waits for.
    std::optional<connect::TimePoint> limit_at{};
  };

  struct Line {
    std::string text{};
    bool again = false;  // a forgotten session had refused it
  };

  void Post(Line line, Kind kind, connect::TimePoint now);
  // Gives up what expects the answer to that request.
  void GiveUp(const Json& request_id);
  void Start(uint64_t id, Exchange exchange, const char* method);
  HttpHeaders HeadersOf(const Exchange& exchange) const;
  void OnHead(Exchange& exchange, HttpHead head);
  void EndHandshake();
  void OnLimit(uint64_t id, connect::TimePoint now);
  void OnBody(uint64_t id, Exchange& exchange, std::string_view bytes, connect::TimePoint now);
  absl::Status TakeBody(Exchange& exchange, std::string_view bytes);
  void OnEnd(uint64_t id, const absl::Status& status, connect::TimePoint now);
  void OnMessageEnd(Exchange exchange, const absl::Status& status, connect::TimePoint now);
  void OnAnswered(Exchange exchange, connect::TimePoint now);
  void OnRefused(const Exchange& exchange);
  std::string ErrorText(const Exchange& exchange) const;
  void OnRenewed(const Exchange& exchange, const absl::Status& status, connect::TimePoint now);
  void OnListenEnd(Exchange exchange, const absl::Status& status, connect::TimePoint now);
  // False if the stream cannot be gone on with.
  bool Resume(Exchange& exchange, connect::TimePoint now);
  // What an answer says of the session that its request was for.
  enum class Loss {
    kNone,
    kLikely,   // a text says that it is lost
    kCertain,  // as the specification says it
  };
  Loss LossOf(const Exchange& exchange, connect::TimePoint now);
  void Renew(Exchange exchange, Loss loss, connect::TimePoint now);
  size_t RecentRenewals(connect::TimePoint now);
  // A message of the server's.
  void Deliver(Exchange& exchange, std::string_view text);
  void TakeAnswer(Exchange& exchange, const Json& message);
  // Whether it answers what was never asked.
  bool IsMistaken(const Exchange& exchange, const Json& message) const;
  // What came cannot be the answer that is waited for, and none will come.
  void RejectAnswer(Exchange& exchange, std::string_view why);
  // Ends a request with an error; the handshake with failure().
  void Reject(const Exchange& exchange, std::string_view why);
  // With the error of the protocol's that the body may be, perhaps without the id; else with
  // `text`.
  void RefuseAs(const Exchange& exchange, std::string_view text);
  void Refuse(const Exchange& exchange, std::string_view message);
  void Refuse(const Exchange& exchange, std::string_view message, const Json& code);
  void Listen();
  void StopListening();
  // Sends what had to wait for the handshake.
  void Release(connect::TimePoint now);
  // Forgets exchanges: those that have not begun do not begin.
  template <typename Match>
  void Drop(const Match& match);
  size_t notes_under_way() const;

  const HttpHeaders headers_;
  uint64_t next_id_ = 1;
  std::map<uint64_t, Exchange> exchanges_;
  std::deque<HttpRequest> requests_;
  std::deque<uint64_t> aborts_;
  std::multimap<connect::TimePoint, Exchange> later_;  // to be resumed then
  std::string output_;
  absl::Status failure_;

  bool shaking_hands_ = false;    // what comes next waits
  std::deque<Line> held_;         // lines that wait
  std::string initialize_line_;   // of the handshake
  std::string protocol_version_;  // that it chose; empty: there is none
  std::string session_;           // empty: the server has none
  bool session_works_ = false;    // a request was answered in it
  uint64_t last_request_ = 0;     // the highest id of a request
  bool renewing_ = false;
  std::deque<connect::TimePoint> renewals_;  // the last ones
  bool tells_change_ = false;      // the list of tools may be another one in the session to come
  std::deque<std::string> notes_;  // lines that expect no answer and wait
  std::vector<std::string> lost_;  // lines that a forgotten session has refused
  bool listens_ = false;
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_HTTP_DIALOG_H_
