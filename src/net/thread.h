#ifndef CURSORWIRE_SRC_NET_THREAD_H_
#define CURSORWIRE_SRC_NET_THREAD_H_

#include <absl/status/status.h>

#include "base/error.h"
#include "base/start_thread.h"

namespace cursorwire::net {

using cursorwire::StartThread;

inline absl::Status NoThreadError() {
  return TransportError("the system starts no more threads", Replay::kSafe);
}

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_THREAD_H_
