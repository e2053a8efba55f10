#ifndef CURSORWIRE_TLS_SESSION_FILE_H_
#define CURSORWIRE_TLS_SESSION_FILE_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "cursorwire/connect/tls_session_store.h"
#include "cursorwire/export.h"

namespace cursorwire {

// TLS sessions in a file, mode 0600, for TlsOptions::session_store: the next process resumes one,
// which spares the verification of the server's certificate and a part of the handshake. Several
// processes may use one file. It is made with the first session; the folder must be there.
//
// It holds at most the 16 newest sessions, each until the server's time for it is over. It is no
// more than a cache: a session is left out while another process holds the file or if the disk does
// not take it. What is there and no file of sessions is never changed.
//   kFailedPrecondition  others may read the file; it is another user's, no plain file, or a file
//   of
//                        something else
//   kNotFound            there is no such folder
//   and what the operating system says
CURSORWIRE_EXPORT absl::StatusOr<std::shared_ptr<connect::TlsSessionStore>> OpenTlsSessionFile(
    const std::string& path);

}  // namespace cursorwire

#endif  // CURSORWIRE_TLS_SESSION_FILE_H_
