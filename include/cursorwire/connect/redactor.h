// Room: src/base
#ifndef CURSORWIRE_CONNECT_REDACTOR_H_
#define CURSORWIRE_CONNECT_REDACTOR_H_

#include <absl/status/status.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/export.h"

namespace cursorwire::connect {

// Takes secrets, such as an access token, out of text that is to be shown or logged: a server may
// repeat in an error what it was sent.
//
// Also without being told of it, it takes out what looks like a credential: what follows `Bearer `,
// if it is of at least kMinPieceBytes, and JSON Web Tokens.
// A piece of a secret counts, too, since texts of a peer are cut: each run of at least
// kMinPieceBytes of its characters, or all of a shorter secret. What is encoded, such as in base64,
// or spelled in another way is not found. A value; thread-compatible.
class CURSORWIRE_EXPORT Redactor {
 public:
  // What stands in place of a secret.
  CURSORWIRE_HIDDEN static constexpr char kReplacement[] = "(redacted)";
  // Shorter secrets are ignored: they would be found in the words of any message.
  static constexpr size_t kMinSecretBytes = 8;
  static constexpr size_t kMinPieceBytes = 16;

  Redactor() = default;  // without secrets: it takes out what looks like one
  explicit Redactor(const std::vector<std::string>& secrets);

  std::string Redact(std::string_view text) const;
  // For bytes that are not text, such as a message of protobuf: a secret becomes as many 'x', so
  // that the bytes still parse. What only looks like a credential stays, since its end is not known
  // in such bytes.
  std::string RedactBytes(std::string_view bytes) const;
  // The message and all texts of the ErrorInfo. Bytes of ErrorDetail::value are those of
  // RedactBytes().
  absl::Status Redact(const absl::Status& status) const;

 private:
  std::vector<std::string> secrets_;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_REDACTOR_H_
