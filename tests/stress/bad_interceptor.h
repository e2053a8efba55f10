#ifndef CURSORWIRE_TESTS_STRESS_BAD_INTERCEPTOR_H_
#define CURSORWIRE_TESTS_STRESS_BAD_INTERCEPTOR_H_

#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "cursorwire/connect/interceptor.h"
#include "stress/dice.h"

namespace cursorwire::test {

// Now and then refuses a call, or throws. Thread-safe.
class BadInterceptor final : public connect::Interceptor {
 public:
  explicit BadInterceptor(uint32_t seed) : dice_(seed) {}

  absl::Status OnRequest(const connect::CallRecord&, connect::Headers&) override {
    MaybeThrow();
    return OneIn(64) ? absl::PermissionDeniedError("refused by chance") : absl::OkStatus();
  }
  void OnHead(const connect::CallRecord&, const connect::Headers&) override { MaybeThrow(); }
  void OnSend(const connect::CallRecord&, std::string_view) override { MaybeThrow(); }
  void OnMessage(const connect::CallRecord&, std::string_view) override { MaybeThrow(); }
  void OnEnd(const connect::CallRecord&, const connect::CallEnd&) override { MaybeThrow(); }

 private:
  bool OneIn(uint32_t chance) {
    const std::lock_guard lock(mutex_);
    return dice_.OneIn(chance);
  }
  void MaybeThrow() {
    if (OneIn(64)) throw std::runtime_error("thrown by chance");
  }

  std::mutex mutex_;
  Dice dice_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_STRESS_BAD_INTERCEPTOR_H_
