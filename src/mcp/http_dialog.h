#ifndef CURSORWIRE_SRC_MCP_HTTP_DIALOG_H_
#define CURSORWIRE_SRC_MCP_HTTP_DIALOG_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/time_point.h"
#include "http/message.h"
#include "jsonrpc/json_text.h"
#include "mcp/dialog_phase.h"
#include "mcp/http_exchange.h"

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
  explicit HttpDialog(http::Headers headers) : headers_(std::move(headers)) {}

  // Whole lines of the client's.
  void Send(std::string_view lines, connect::TimePoint now);
  void OnEvent(http::Event event, connect::TimePoint now);
  std::optional<connect::TimePoint> deadline() const;
  void OnDeadline(connect::TimePoint now);

  // What is to be sent, and the exchange that is to be given up, until there is none.
  std::optional<http::Request> NextRequest();
  std::optional<uint64_t> NextAbort();
  // Lines of the server's.
  std::string TakeOutput() { return std::exchange(output_, {}); }
  // False while the server does not take messages that need no answer: what else it sends would
  // only make more of them.
  bool wants_input() const { return notes_.empty(); }

  // Why nothing can be asked of this server; it stays.
  const absl::Status& failure() const { return failure_; }

  // Gives up all, and tells the server that its session is over. nullopt: it has none.
  std::optional<http::Request> Close();

 private:
  using Json = jsonrpc::Json;

  struct Line {
    std::string text{};
    Step step = Step::kAsked;  // of its exchange
  };

  void Enter(DialogEvent event) { phase_ = PhaseAfter(phase_, event); }
  void Fail(std::string_view why);

  void Post(Line line, connect::TimePoint now);
  // Gives up what expects the answer to that request.
  void GiveUp(const Json& request_id);
  void Start(HttpExchange exchange);
  void OnHead(HttpExchange& exchange, http::Head head);
  void EndHandshake();
  void OnLimit(uint64_t id, connect::TimePoint now);
  void OnBody(uint64_t id, HttpExchange& exchange, std::string_view bytes, connect::TimePoint now);
  absl::Status TakeBody(HttpExchange& exchange, std::string_view bytes);
  void OnEnd(uint64_t id, const absl::Status& status, connect::TimePoint now);
  void OnMessageEnd(HttpExchange exchange, const absl::Status& status, connect::TimePoint now);
  // Takes the answer, or tells the client why there is none. False: the exchange is resumed.
  bool Conclude(HttpExchange& exchange, const absl::Status& status, connect::TimePoint now);
  void OnRefused(const HttpExchange& exchange);
  std::string ErrorText(const HttpExchange& exchange) const;
  void OnRenewed(const HttpExchange& exchange, const absl::Status& status, connect::TimePoint now);
  void OnListenEnd(HttpExchange exchange, connect::TimePoint now);
  // False if the stream cannot be gone on with.
  bool Resume(HttpExchange& exchange, connect::TimePoint now);
  void ResumeAfter(std::chrono::milliseconds pause, HttpExchange exchange, connect::TimePoint now);
  // What an answer says of the session that its request was for.
  enum class Loss {
    kNone,
    kLikely,   // a text says that it is lost
    kCertain,  // as the specification says it
  };
  Loss LossOf(const HttpExchange& exchange, connect::TimePoint now);
  void Renew(HttpExchange exchange, Loss loss, connect::TimePoint now);
  size_t RecentRenewals(connect::TimePoint now);
  // A message of the server's.
  void Deliver(HttpExchange& exchange, std::string_view text);
  void TakeAnswer(HttpExchange& exchange, const Json& message);
  // Whether it answers what was never asked.
  bool IsMistaken(const HttpExchange& exchange, const Json& message) const;
  // What came cannot be the answer that is waited for, and none will come.
  void RejectAnswer(HttpExchange& exchange, std::string_view why);
  // Ends a request with an error; the handshake with failure().
  void Reject(const HttpExchange& exchange, std::string_view why);
  // With the error of the protocol's that the body may be, perhaps without the id; else with
  // `text`.
  void RefuseAs(const HttpExchange& exchange, std::string_view text);
  void Refuse(const HttpExchange& exchange, std::string_view message);
  void Refuse(const HttpExchange& exchange, std::string_view message, const Json& code);
  void Listen();
  // Sends what had to wait.
  void Release(connect::TimePoint now);
  // Forgets exchanges: those that have not begun do not begin.
  template <typename Match>
  void Drop(const Match& match);
  size_t notes_under_way() const;

  const http::Headers headers_;
  uint64_t next_id_ = 1;
  std::map<uint64_t, HttpExchange> exchanges_;
  std::deque<http::Request> requests_;
  std::deque<uint64_t> aborts_;
  std::multimap<connect::TimePoint, HttpExchange> later_;  // to be resumed then
  std::string output_;
  absl::Status failure_;

  DialogPhase phase_ = DialogPhase::kOpen;
  HttpSession session_;
  std::deque<Line> held_;          // lines that wait until the phase is kOpen
  std::deque<std::string> notes_;  // lines that expect no answer, for which others have to end
  uint64_t last_request_ = 0;      // the highest id of a request
  // Of renewals.
  std::string initialize_line_;
  std::vector<std::string> lost_;  // lines that a forgotten session has refused
  bool tells_change_ = false;      // the list of tools may be another one in the session to come
  std::deque<connect::TimePoint> renewals_;  // the last ones
};

}  // namespace cursorwire::mcp

#endif  // CURSORWIRE_SRC_MCP_HTTP_DIALOG_H_
