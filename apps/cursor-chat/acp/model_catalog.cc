#include "acp/model_catalog.h"

#include <system_error>
#include <utility>

namespace cursor_chat::acp {

using cursorwire::Model;

ModelCatalog::~ModelCatalog() {
  if (thread_.joinable()) thread_.join();
}

void ModelCatalog::AskOnce(const Lister& list, Clock::time_point now) {
  if (!models_.empty() || asks_ || stopped_) return;
  if (thread_.joinable()) thread_.join();  // it has left its lock for the last time
  try {
    thread_ = std::thread([this, asked = list]() mutable { Ask(std::move(asked)); });
  } catch (const std::system_error&) {
    next_question_ = now + times_.pause;
    return;
  }
  asks_ = true;
  waits_until_ = now + times_.wait;
}

std::vector<Model> ModelCatalog::Get(const Lister& list) {
  std::unique_lock lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now >= next_question_) AskOnce(list, now);
  changed_.wait_until(lock, waits_until_, [this] { return !asks_ || stopped_; });
  return models_;
}

std::vector<Model> ModelCatalog::Require(const Lister& list, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  AskOnce(list, Clock::now());
  changed_.wait_for(lock, stop, times_.wait, [this] { return !asks_ || stopped_; });
  return models_;
}

void ModelCatalog::AskAndGo(const Lister& list) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now >= next_question_) AskOnce(list, now);
}

std::vector<Model> ModelCatalog::known() {
  const std::lock_guard lock(mutex_);
  return models_;
}

void ModelCatalog::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void ModelCatalog::Ask(Lister list) {
  absl::StatusOr<cursorwire::ModelList> answer = list();
  list = nullptr;  // may end a connection, whose handlers may look at what is known
  const std::lock_guard lock(mutex_);
  if (answer.ok()) models_ = std::move(answer->models);
  next_question_ = Clock::now() + times_.pause;
  asks_ = false;
  changed_.notify_all();
}

}  // namespace cursor_chat::acp
