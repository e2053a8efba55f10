// Room: src/channel
#ifndef CURSORWIRE_CONNECT_LOGGING_INTERCEPTOR_H_
#define CURSORWIRE_CONNECT_LOGGING_INTERCEPTOR_H_

#include <absl/status/status.h>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/interceptor.h"
#include "cursorwire/connect/redactor.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

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

#endif  // CURSORWIRE_CONNECT_LOGGING_INTERCEPTOR_H_
