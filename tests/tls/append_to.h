#ifndef CURSORWIRE_TESTS_TLS_APPEND_TO_H_
#define CURSORWIRE_TESTS_TLS_APPEND_TO_H_

#include <string>
#include <string_view>

namespace cursorwire::tls {

// For Engine::Receive() and Transport::Receive().
inline auto AppendTo(std::string& plaintext) {
  return [&plaintext](std::string_view record) { plaintext.append(record); };
}

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_TESTS_TLS_APPEND_TO_H_
