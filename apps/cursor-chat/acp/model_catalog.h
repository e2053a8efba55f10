#ifndef CURSORWIRE_APPS_CURSOR_CHAT_ACP_MODEL_CATALOG_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_ACP_MODEL_CATALOG_H_

#include <cursorwire/client.h>
#include <cursorwire/model.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cursor_chat::acp {

// How long a new session waits for the list of models.
inline constexpr std::chrono::milliseconds kModelListTime{5'000};

// The models of the account, asked for once and again after a failure. Thread-safe.
class ModelCatalog {
 public:
  ModelCatalog() = default;
  // Waits for a call that is under way.
  ~ModelCatalog();
  ModelCatalog(const ModelCatalog&) = delete;
  ModelCatalog& operator=(const ModelCatalog&) = delete;

  // Asks by `client` unless the list is there, and waits up to kModelListTime. Empty: not known
  // yet.
  std::vector<cursorwire::Model> Get(const std::shared_ptr<cursorwire::Client>& client);
  // What is known by now.
  std::vector<cursorwire::Model> known();

 private:
  void Ask(const std::shared_ptr<cursorwire::Client>& client);

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::vector<cursorwire::Model> models_;
  bool asks_ = false;
  std::thread thread_;
};

}  // namespace cursor_chat::acp

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_ACP_MODEL_CATALOG_H_
