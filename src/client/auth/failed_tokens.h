#ifndef CURSORWIRE_SRC_CLIENT_AUTH_FAILED_TOKENS_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_FAILED_TOKENS_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace cursorwire {

// Remembers for a while which refresh tokens the service refused, by a hash, in a file that the
// processes of the user share. A file that cannot be read or written is as an empty one: the only
// harm is that the service is asked once more. Thread-compatible.
// Source: docs/protocol.md, tokens and login.
class FailedTokens {
 public:
  using Time = std::chrono::system_clock::time_point;

  static constexpr std::chrono::minutes kMemory{10};
  static constexpr size_t kMaxRemembered = 100;

  // `path`: empty: only this object remembers.
  explicit FailedTokens(std::string path) : path_(std::move(path)) {}

  bool Has(std::string_view secret, Time now);
  void Add(std::string_view secret, Time now);

 private:
  using Times = std::map<std::string, Time>;  // by hash

  void Read(Time now);
  void Write() const;

  const std::string path_;
  Times times_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_FAILED_TOKENS_H_
