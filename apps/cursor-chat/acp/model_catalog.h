#ifndef CURSORWIRE_APPS_CURSOR_CHAT_ACP_MODEL_CATALOG_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_ACP_MODEL_CATALOG_H_

#include <absl/status/statusor.h>
#include <cursorwire/model.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace cursor_chat::acp {

// How long a new session waits for the list of models.
inline constexpr std::chrono::milliseconds kModelListTime{5'000};
// How long a failure to get it is remembered.
inline constexpr std::chrono::milliseconds kModelListPause{60'000};

struct ModelCatalogTimes {
  std::chrono::milliseconds wait = kModelListTime;
  std::chrono::milliseconds pause = kModelListPause;
};

// The models of the account. They are asked for once, in the background, and again some time after
// a failure. Thread-safe.
class ModelCatalog {
 public:
  explicit ModelCatalog(ModelCatalogTimes times = {}) : times_(times) {}
  // Waits for a call that is under way.
  ~ModelCatalog();
  ModelCatalog(const ModelCatalog&) = delete;
  ModelCatalog& operator=(const ModelCatalog&) = delete;

  using Lister = std::function<absl::StatusOr<cursorwire::ModelList>()>;
  // Asks by `list`, which may block, unless the list is there or has failed within `pause`. Waits
  // for it until `wait` after the question: who comes later, while it still hangs, does not wait.
  // Empty: not known yet.
  std::vector<cursorwire::Model> Get(const Lister& list);
  // The same without waiting.
  void AskAndGo(const Lister& list);
  // For who cannot go on without: asks also soon after a failure, and waits up to `wait` from now,
  // or until `stop` is requested. Empty: not known.
  std::vector<cursorwire::Model> Require(const Lister& list, const std::stop_token& stop);
  // What is known by now.
  std::vector<cursorwire::Model> known();
  // From now on nobody waits, and nothing is asked. For the end of the process.
  void Stop();

 private:
  using Clock = std::chrono::steady_clock;

  // The lock is held.
  void AskOnce(const Lister& list, Clock::time_point now);
  void Ask(Lister list);

  const ModelCatalogTimes times_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  // Guarded by mutex_.
  std::vector<cursorwire::Model> models_;
  bool asks_ = false;
  bool stopped_ = false;
  Clock::time_point waits_until_{};  // of the question that was asked last
  Clock::time_point next_question_{};
  std::thread thread_;
};

}  // namespace cursor_chat::acp

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_ACP_MODEL_CATALOG_H_
