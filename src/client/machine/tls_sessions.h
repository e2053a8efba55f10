#ifndef CURSORWIRE_SRC_CLIENT_MACHINE_TLS_SESSIONS_H_
#define CURSORWIRE_SRC_CLIENT_MACHINE_TLS_SESSIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire {

// TLS sessions as they stand in a file, the newest last: JSON, the bytes of a session in base64. A
// value.
class TlsSessions {
 public:
  using Time = std::chrono::system_clock::time_point;

  static constexpr size_t kMaxSessions = 16;
  // OpenSSL takes a few KiB for one, most of which is the server's certificate.
  static constexpr size_t kMaxSessionBytes = size_t{32} * 1024;
  static constexpr size_t kMaxKeyBytes = 512;

  // Those of `json` that are good at `now`; none of an empty text. A session that is over a bound
  // or no such thing counts as absent. nullopt: the text is of something else.
  static std::optional<TlsSessions> Read(std::string_view json, Time now);
  std::string Write() const;

  // Drops the oldest where there are too many, and what is over a bound.
  void Add(const std::string& key, const std::string& session, Time expires);
  // Takes the newest of `key` out.
  std::optional<std::string> Take(std::string_view key);

  size_t size() const { return sessions_.size(); }

  friend bool operator==(const TlsSessions&, const TlsSessions&) = default;

 private:
  struct Session {
    std::string key{};
    std::string bytes{};
    int64_t expires = 0;  // seconds since 1970

    friend bool operator==(const Session&, const Session&) = default;
  };

  void Add(Session session);

  std::deque<Session> sessions_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MACHINE_TLS_SESSIONS_H_
