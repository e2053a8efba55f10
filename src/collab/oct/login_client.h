#ifndef CURSORWIRE_SRC_COLLAB_OCT_LOGIN_CLIENT_H_
#define CURSORWIRE_SRC_COLLAB_OCT_LOGIN_CLIENT_H_

#include <absl/status/statusor.h>

#include <functional>
#include <stop_token>

#include "collab/oct/login_answer.h"
#include "collab/oct/login_dialog.h"
#include "collab/oct/login_options.h"

namespace cursorwire::oct {

using OnLoginEvent = std::function<void(const LoginEvent& event)>;

// Logs in and asks to be let into a room. Blocks, for minutes if a person or the host does not
// act; `on_event` is called meanwhile, on this thread.
//   kCancelled  `stop` was requested, on any thread; it ends at once
//   else        as LoginDialog::Create() and LoginDialog::result()
absl::StatusOr<RoomAccess> JoinRoom(const LoginOptions& options, const OnLoginEvent& on_event,
                                    const std::stop_token& stop);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_LOGIN_CLIENT_H_
