#ifndef CURSORWIRE_TESTS_SUPPORT_SCRATCH_HOME_H_
#define CURSORWIRE_TESTS_SUPPORT_SCRATCH_HOME_H_

#include <absl/strings/escaping.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "support/scratch_folder.h"

namespace cursorwire::test {

// An empty home folder, and no variable that names a token: nothing of who runs the test is used.
// Restores the environment. While no other thread reads it.
class ScratchHome {
 public:
  ScratchHome() {
    for (const char* name : {"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CURSOR_ACCESS_TOKEN",
                             "CURSOR_AUTH_TOKEN", "CURSOR_API_KEY", "CURSOR_CONFIG_DIR",
                             "CURSORWIRE_AGENT_URL", "CURSOR_AGENT_URL", "CURSORWIRE_API_URL"}) {
      const char* value = ::getenv(name);
      former_[name] = value == nullptr ? std::nullopt : std::optional<std::string>(value);
      ::unsetenv(name);
    }
    Set("HOME", folder_.path());
  }
  ~ScratchHome() {
    for (const auto& [name, value] : former_) {
      if (value) {
        ::setenv(name.c_str(), value->c_str(), 1);
      } else {
        ::unsetenv(name.c_str());
      }
    }
  }
  ScratchHome(const ScratchHome&) = delete;
  ScratchHome& operator=(const ScratchHome&) = delete;

  void Set(const std::string& name, const std::string& value) const {
    ASSERT_EQ(::setenv(name.c_str(), value.c_str(), 1), 0);
  }
  std::string At(const std::string& relative) const { return folder_.At(relative); }
  // A file with that mode.
  void Write(const std::string& relative, const std::string& text, mode_t mode = 0600) const {
    folder_.Write(relative, text);
    ASSERT_EQ(::chmod(At(relative).c_str(), mode), 0);
  }

 private:
  ScratchFolder folder_;
  std::map<std::string, std::optional<std::string>> former_;
};

inline constexpr char kStoreFile[] = ".config/cursorwire/credentials.json";
inline constexpr char kCliFile[] = ".config/cursor/auth.json";

// A token of that user, which ends so long from now.
inline std::string TokenOf(const std::string& user, std::chrono::seconds life) {
  const auto end = std::chrono::system_clock::now() + life;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(end.time_since_epoch());
  return "eyJhbGciOiJub25lIn0." +
         absl::WebSafeBase64Escape("{\"sub\":\"" + user +
                                   "\",\"exp\":" + std::to_string(seconds.count()) + "}") +
         ".c2ln";
}

inline std::string LoginJson(const std::string& access, const std::string& refresh = "") {
  return "{\"accessToken\":\"" + access + "\"" +
         (refresh.empty() ? "" : ",\"refreshToken\":\"" + refresh + "\"") + "}";
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_SCRATCH_HOME_H_
