#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OPEN_LOGINS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OPEN_LOGINS_H_

#include <cursorwire/credentials.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace cursor_chat {

// The logins that the program uses, for what ends it at once. Thread-safe.
class OpenLogins {
 public:
  void Add(std::weak_ptr<const cursorwire::Credentials> login) {
    const std::lock_guard lock(mutex_);
    logins_.push_back(std::move(login));
  }
  bool is_renewing() const {
    const std::lock_guard lock(mutex_);
    return std::any_of(logins_.begin(), logins_.end(), [](const auto& open) {
      const auto login = open.lock();
      return login != nullptr && login->is_renewing();
    });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<const cursorwire::Credentials>> logins_;  // guarded by mutex_
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OPEN_LOGINS_H_
