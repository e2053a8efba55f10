#ifndef CURSORWIRE_CONNECT_TLS_SESSION_STORE_H_
#define CURSORWIRE_CONNECT_TLS_SESSION_STORE_H_

#include <chrono>
#include <optional>
#include <string>

#include "cursorwire/export.h"

namespace cursorwire::connect {

// Where the TLS sessions of a TlsContext are kept in place of its memory, such as for the next
// process (OpenTlsSessionFile() of the agent client). A session holds keys: who knows it can take
// the server's place in the connection that resumes it, so nobody else may read what is kept.
//
// Called by the threads of the connections, which wait for it; it must not throw. Thread-safe.
// Source: RFC 8446, 2.2 and 4.6.1.
class CURSORWIRE_EXPORT TlsSessionStore {
 public:
  virtual ~TlsSessionStore() = default;

  // Keeps a session until `expires`, or less long. `key` is printable ASCII: it names the server,
  // and how it was trusted. `session` is one of TLS 1.3, 1 to 4 KiB as a rule.
  virtual void Add(const std::string& key, const std::string& session,
                   std::chrono::system_clock::time_point expires) = 0;
  // The newest session with that key, which is given to nobody again, so that nobody can see that
  // two connections are of one client (RFC 8446, C.4); nullopt: there is none.
  virtual std::optional<std::string> Take(const std::string& key) = 0;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_TLS_SESSION_STORE_H_
