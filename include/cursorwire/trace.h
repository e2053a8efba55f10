// Room: src/client/trace
#ifndef CURSORWIRE_TRACE_H_
#define CURSORWIRE_TRACE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/connect/interceptor.h"
#include "cursorwire/export.h"
#include "cursorwire/trace_content.h"

namespace cursorwire {

// How much a trace may hold. A value.
struct TraceOptions {
  // A file that would become longer is put aside as FILE.1, FILE.1 as FILE.2, and so on. It has one
  // line in any case.
  size_t max_file_bytes = size_t{64} * 1024 * 1024;
  // Files in all, from 1 to 1000: the oldest is removed.
  size_t max_files = 4;
  // Of a longer message only the first bytes are kept; such a message cannot be played again.
  size_t max_message_bytes = size_t{1} * 1024 * 1024;
};

// Records calls in a file, one JSON object a line: request headers, messages of both sides,
// response headers, the end, and when each came. docs/traces.md has the format, ReadTrace() reads
// it.
//
//   absl::StatusOr<std::shared_ptr<Trace>> trace = Trace::Open("trace.jsonl");
//   auto client = Client::Create({.trace = *trace});
//
// The file has mode 0600, and holds what was said. It does not hold the values of headers that
// LoggingInterceptor redacts, such as the access token; where these values, or pieces of them as a
// connect::Redactor finds them, stand in other headers, errors or messages, they are taken out as
// well: in messages each of their bytes becomes an 'x'.
//
// It is written in a thread of its own, so that no call waits for the disk, and no call fails
// because of it: after an error nothing more is recorded, and status() says why. While the disk
// does not keep up, the bytes of messages are left out. A process that is killed loses what was not
// written yet.
//
// Several clients, and channels that have it among their interceptors, may share it; put it last
// there to record headers as they are sent. Thread-safe. Destroying it waits for the disk.
class CURSORWIRE_EXPORT Trace final : public connect::Interceptor {
 public:
  // Begins a new file. A trace that is at `path` already is put aside first, as above.
  //   kInvalidArgument     bad numbers in the options
  //   kFailedPrecondition  another process records there; or a file that is not a trace is at
  //                        `path`, or where older files of the trace would go
  //   kUnavailable         the system starts no more threads
  //   and what the operating system says
  static absl::StatusOr<std::shared_ptr<Trace>> Open(const std::string& path,
                                                     const TraceOptions& options = {});
  ~Trace() override;

  // Waits until all that was recorded so far is written; then as status().
  absl::Status Flush();
  // OK, or why nothing is recorded any more.
  absl::Status status() const;

  absl::Status OnRequest(const connect::CallRecord& call, connect::Headers& headers) override;
  void OnSend(const connect::CallRecord& call, std::string_view message) override;
  void OnHead(const connect::CallRecord& call, const connect::Headers& headers) override;
  void OnMessage(const connect::CallRecord& call, std::string_view message) override;
  void OnEnd(const connect::CallRecord& call, const connect::CallEnd& end) override;

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit Trace(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

// Reads one file of a trace.
//   kNotFound            there is no such file
//   kResourceExhausted   it is larger than kMaxTraceBytes
//   and the errors of ParseTrace(), and what the operating system says
inline constexpr size_t kMaxTraceBytes = size_t{512} * 1024 * 1024;
CURSORWIRE_EXPORT absl::StatusOr<TraceContent> ReadTrace(const std::string& path);

}  // namespace cursorwire

#endif  // CURSORWIRE_TRACE_H_
