// Room: src/channel/loop
#ifndef CURSORWIRE_CONNECT_INTERCEPTOR_H_
#define CURSORWIRE_CONNECT_INTERCEPTOR_H_

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/call_event.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/connect/redactor.h"
#include "cursorwire/connect/time_point.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// Messages in one direction, counted as the user sees them: without envelopes and compression. In a
// raw call, the pieces of the body.
struct MessageCount {
  uint64_t messages = 0;
  uint64_t bytes = 0;

  friend bool operator==(const MessageCount&, const MessageCount&) = default;
};

// One call as its interceptors see it. It stays where it is until OnEnd() has returned, so that its
// address may name the call; what is not known yet has its default.
struct CallRecord {
  std::string path{};  // as the user gave it: without the prefix of the channel's URL
  CallKind kind = CallKind::kStreaming;
  // On the clock of the channel, std::chrono::steady_clock.
  TimePoint start{};  // Channel::Start() was called
  std::optional<TimePoint> head{};
  TimePoint end{};
  int http_status = 0;  // 0: no response headers came
  // Taken by Call::Send() of a call that was made, whether they went to the network or not; set in
  // OnEnd().
  MessageCount sent{};
  MessageCount received{};
};

// Sees every call of a channel, however it is started, those of its pins too: see
// ChannelOptions::interceptors. For tokens, tracing, metrics and logs.
//
// Order: OnRequest(), then OnHead() at most once, then OnEnd() exactly once. OnSend() comes any
// number of times between OnRequest() and OnEnd(), OnMessage() between OnHead() and OnEnd(). They
// come like the layers of an onion: OnRequest() and OnSend() from the first interceptor to the
// last; OnHead(), OnMessage() and OnEnd() from the last to the first, before the observer of the
// call hears the same. Where one refuses a call, those after it see nothing of it.
//
// Threads: OnRequest() runs on the thread that starts the call, so on many at once; the others
// on the thread that does the channel's I/O then (ChannelOptions::io_thread), one at a time
// for all calls of the channel, and they must return soon. One exception: where the channel is
// closed already, OnEnd() comes on the thread that starts the call. One interceptor may serve any
// number of channels.
//
// Exceptions: what one throws ends that call with kInternal, and harms no other.
class CURSORWIRE_EXPORT Interceptor {
 public:
  virtual ~Interceptor() = default;

  // Before the call is made. `headers` are CallOptions::headers with what interceptors before this
  // one did to them; those of the protocol are not among them. An error ends the call with that
  // status, and nothing is sent. It may block, which delays the one that starts the call.
  virtual absl::Status OnRequest(const CallRecord& /*call*/, Headers& /*headers*/) {
    return absl::OkStatus();
  }
  virtual void OnHead(const CallRecord& /*call*/, const Headers& /*headers*/) {}
  // A message of Call::Send(), before it goes to the network; not again if the call is replayed.
  // Messages still to be sent when the call ends are not seen, nor is
  // CallRequest::message_at_deadline. `message` is valid during the call.
  virtual void OnSend(const CallRecord& /*call*/, std::string_view /*message*/) {}
  // A message of the server, as its user gets it (MessageView). `message` is valid during the call.
  virtual void OnMessage(const CallRecord& /*call*/, std::string_view /*message*/) {}
  // Also after an error of its own OnRequest().
  virtual void OnEnd(const CallRecord& /*call*/, const CallEnd& /*end*/) {}
};

// Whether a LoggingInterceptor writes a line for each header and trailer.
enum class LogHeaders { kNo, kYes };

struct LoggingOptions {
  LogHeaders headers = LogHeaders::kNo;
  // Names of headers whose values are not written, besides those that never are: `authorization`,
  // `proxy-authorization`, `cookie`, `set-cookie` and `x-cursor-*`. In any case of letters; a `*`
  // at the end stands for any rest. What is not named is written: name yours.
  std::vector<std::string> redacted{};
  // Longest value and path that are written, in bytes.
  size_t max_value_bytes = 200;
};

// Writes a line for each call when it has ended:
//
//   /eliza.v1.ElizaService/Say ok http=200 12.345ms sent=1/5B received=1/17B
//
// which is the path up to a `?`, the code (see CodeText()), the HTTP status (0: none came), the
// time since Channel::Start(), and messages with their bytes. Headers come in lines of their own,
// `>` of the request, `<` of the response, and trailers before the line of the end:
//
//   /eliza.v1.ElizaService/Say > authorization: (redacted)
//
// Messages and the text of errors are never written, nor are redacted values of the request where
// headers of the response repeat them (as far as a Redactor finds them). Whatever is not printable
// ASCII becomes '?', so that a line is a line. It writes the request headers as the interceptors
// before it left them: put it last to see what is sent.
class CURSORWIRE_EXPORT LoggingInterceptor final : public Interceptor {
 public:
  // Gets a line without its end. It is called on the threads of Interceptor, many at once: it must
  // be thread-safe and return soon.
  using Sink = std::function<void(std::string_view line)>;

  explicit LoggingInterceptor(Sink sink, LoggingOptions options = {});

  absl::Status OnRequest(const CallRecord& call, Headers& headers) override;
  void OnHead(const CallRecord& call, const Headers& headers) override;
  void OnEnd(const CallRecord& call, const CallEnd& end) override;

 private:
  std::string Path(const CallRecord& call) const;
  bool IsRedacted(std::string_view name) const;
  void KeepSecrets(const CallRecord& call, const Headers& headers);
  Redactor RedactorOf(const CallRecord& call) const;
  void WriteHeaders(const CallRecord& call, std::string_view direction, const Headers& headers,
                    const Redactor& redactor) const;

  const Sink sink_;
  const LoggingOptions options_;
  mutable std::mutex mutex_;
  std::map<const CallRecord*, Redactor> redactors_;  // of open calls; guarded by mutex_
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_INTERCEPTOR_H_
