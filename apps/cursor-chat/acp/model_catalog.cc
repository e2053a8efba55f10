#include "acp/model_catalog.h"

#include <utility>

namespace cursor_chat::acp {

using cursorwire::Model;

ModelCatalog::~ModelCatalog() {
  if (thread_.joinable()) thread_.join();
}

void ModelCatalog::AskOnce(const Lister& list) {
  const Clock::time_point now = Clock::now();
  if (!models_.empty() || asks_ || now < next_question_) return;
  if (thread_.joinable()) thread_.join();  // it has left its lock for the last time
  asks_ = true;
  waits_until_ = now + times_.wait;
  thread_ = std::thread([this, list] { Ask(list); });
}

std::vector<Model> ModelCatalog::Get(const Lister& list) {
  std::unique_lock lock(mutex_);
  AskOnce(list);
  changed_.wait_until(lock, waits_until_, [this] { return !asks_; });
  return models_;
}

std::vector<Model> ModelCatalog::AskAndGo(const Lister& list) {
  const std::lock_guard lock(mutex_);
  AskOnce(list);
  return models_;
}

std::vector<Model> ModelCatalog::known() {
  const std::lock_guard lock(mutex_);
  return models_;
}

void ModelCatalog::Ask(const Lister& list) {
  absl::StatusOr<cursorwire::ModelList> answer = list();
  const std::lock_guard lock(mutex_);
  if (answer.ok()) models_ = std::move(answer->models);
  next_question_ = Clock::now() + times_.pause;
  asks_ = false;
  changed_.notify_all();
}

}  // namespace cursor_chat::acp
