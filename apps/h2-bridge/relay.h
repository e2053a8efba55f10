#ifndef CURSORWIRE_APPS_H2_BRIDGE_RELAY_H_
#define CURSORWIRE_APPS_H2_BRIDGE_RELAY_H_

#include <absl/status/status.h>
#include <cursorwire/connect/connection.h>
#include <cursorwire/connect/redactor.h>
#include <cursorwire/connect/time_point.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config.h"
#include "frame.h"
#include "parent_output.h"
#include "target.h"

namespace h2_bridge {

// Exit codes. Source: docs/bridge.md, "Ends".
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitLost = 2;  // the connection was lost: worth another try

// After a parent has ended its side and its request has left, what still comes is handed on for so
// long.
inline constexpr std::chrono::milliseconds kLastWords{100};
// For the body of an HTTP error, after its headers.
inline constexpr std::chrono::milliseconds kErrorBodyWait{5'000};

// Answers of runs that are over and that the parent has not read: above this it is not listened to.
inline constexpr size_t kMaxUnreadAnswerBytes = size_t{1024} * 1024;
// `open` commands that the server was not sent yet: with so many the parent is not listened to.
inline constexpr size_t kMaxOpensAhead = 16;
// Tokens of a connection that are taken out of what the server says: the configuration's, and the
// last ones of `open`.
inline constexpr size_t kMaxKnownTokens = 64;

// What the relay cannot do itself.
class RelayHost {
 public:
  // A line for standard error, without a line end.
  virtual void Diagnose(std::string_view line) = 0;
  // A line for the file of --log.
  virtual void Log(std::string_view line) = 0;
  virtual std::string NewRequestId() = 0;

 protected:
  ~RelayHost() = default;
};

struct RelayOptions {
  std::string client_version{};  // `x-cursor-client-version`
  std::string ca_pem{};          // trusted alone; empty: the system's roots
  bool allow_plaintext = false;  // also to hosts other than this machine
};

// The bridge between a parent and an HTTP/2 server, without I/O and without a clock: bytes and time
// go in, bytes and an exit code come out.
//
// Order: after any function that is not const, look at TakeTarget(), network_output(),
// parent_output() and exit_code(). At NextDeadline(), or at any time, call OnDeadline().
// Memory: at most two HTTP/2 windows of responses and kMaxUnreadAnswerBytes, kSendLowWater and one
// read of the parent's bytes, and one command. Thread-compatible.
class Relay {
 public:
  using TimePoint = cursorwire::connect::TimePoint;

  Relay(RelayOptions options, RelayHost& host);

  // Bytes of the parent, in any pieces; and their end.
  void OnInput(std::string_view bytes, TimePoint now);
  void OnInputEnd(TimePoint now);
  // While wants_input() is false: nobody writes any more. What was written is not read yet.
  void OnInputHangUp(TimePoint now);
  // False while the server is to take what it was sent, or the parent is to read the answers that
  // it has.
  bool wants_input() const;
  bool input_ended() const { return input_ended_; }

  // Once, after the configuration: where to connect to.
  std::optional<Target> TakeTarget();
  // Bytes for the server; the host keeps them until it is connected.
  std::string_view network_output();
  void ConsumeNetworkOutput(size_t bytes, TimePoint now);
  // The connection is over: nothing of the server is of use, and network_output() is the last of
  // it.
  bool network_over() const { return exit_code_ || down_; }
  void OnNetworkInput(std::string_view bytes, TimePoint now);
  void OnNetworkEnd(TimePoint now);
  // There is no connection, or it is lost.
  void OnNetworkError(const absl::Status& status, TimePoint now);

  // Bytes for the parent.
  std::string_view parent_output() const { return output_.view(); }
  void ConsumeParentOutput(size_t bytes, TimePoint now);
  // The parent does not read any more, or its output cannot be written: nothing is left to do. What
  // was not written was not delivered, so this is never the end of a success.
  void OnParentGone(std::string_view why);

  std::optional<TimePoint> NextDeadline() const;
  void OnDeadline(TimePoint now);

  // Set once all is done. Then write what network_output() still has, if that goes without waiting.
  std::optional<int> exit_code() const;

 private:
  // One request and its response.
  struct Run {
    cursorwire::connect::CallId call = 0;  // 0: there is no run
    bool send_closed = false;
    int http_status = 0;  // 0: no response headers yet
    cursorwire::connect::Headers headers{};
    std::string error_body{};
    std::optional<TimePoint> error_deadline{};  // of an HTTP error
  };

  void OnPiece(const FramePiece& piece, TimePoint now);
  void StartMessage(const FramePiece& piece);
  void EndMessage(TimePoint now);
  void OnCommand(const std::string& message, TimePoint now);
  void Configure(const std::string& message, TimePoint now);
  void Open(const OpenCommand& command, TimePoint now);
  void KnowToken(const std::string& token);
  void StartRun(std::string_view access_token, TimePoint now);
  void SendBody(std::string_view bytes, TimePoint now);
  void CloseSend(TimePoint now);
  void ParentEnds(TimePoint now);
  bool RequestHasLeft();
  void StartLastWords(TimePoint now);
  void OnLastWordsOver();
  std::chrono::milliseconds SendTimeout() const;

  void Drain(TimePoint now);
  void PollEvents(TimePoint now);
  bool CutByGoAway() const;
  void OnEvent(const cursorwire::connect::ConnectionEvent& event, TimePoint now);
  void OnCallEvent(const cursorwire::connect::ConnectionEvent& event, TimePoint now);
  void OnHead(const cursorwire::connect::ResponseHead& head, TimePoint now);
  void OnBody(const cursorwire::connect::MessageView& message);
  void OnErrorBody(std::string_view bytes, size_t credit);
  void OnCallEnd(const cursorwire::connect::CallEnd& end);
  void OnRunDone();
  void OnRunLost(const absl::Status& status);
  void OnGoAway();
  void ReportHttpError(const cursorwire::connect::Headers& trailers);
  void OnDown(const absl::Status& status);
  void DiagnoseDown();

  bool has_run() const { return run_.call != 0; }
  bool is_persistent() const { return config_->lifetime == Lifetime::kPersistent; }
  std::optional<TimePoint> IdleDeadline() const;
  std::optional<TimePoint> PingDeadline() const;

  void Fail(int exit_code, std::string_view line);
  void End(int exit_code);
  std::string Redact(std::string_view text) const { return redactor_.Redact(text); }
  void Log(std::string_view line);

  const RelayOptions options_;
  RelayHost& host_;

  FrameParser parser_;
  // What becomes of the message that is arriving.
  enum class Destination { kCommand, kRequest, kNowhere };
  Destination destination_ = Destination::kNowhere;
  bool had_bytes_ = false;  // of the message that is arriving
  std::string command_;
  bool input_ended_ = false;
  bool had_unary_message_ = false;

  std::optional<Config> config_;
  std::optional<Target> target_;
  std::vector<std::string> tokens_;
  cursorwire::connect::Redactor redactor_;
  std::optional<cursorwire::connect::Connection> connection_;
  Run run_;
  size_t runs_ = 0;
  size_t opens_ahead_ = 0;
  std::optional<absl::Status> down_;
  std::optional<cursorwire::connect::GoAwayReceived> goaway_;

  std::optional<TimePoint> idle_since_;     // set once the connection is up
  std::optional<TimePoint> last_received_;  // the same
  bool ping_failed_ = false;                // since the server's last byte
  bool parent_ends_ = false;                // and does not wait for the response
  std::optional<TimePoint> send_by_;        // the request must have left then
  std::optional<TimePoint> leave_at_;       // whatever is left then is dropped

  ParentOutput output_;
  std::optional<int> exit_code_;
  bool dropped_ = false;  // nobody waits for the rest of output_
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_RELAY_H_
