#include "acp/model_catalog.h"

#include <utility>

namespace cursor_chat::acp {

using cursorwire::Client;
using cursorwire::Model;

ModelCatalog::~ModelCatalog() {
  if (thread_.joinable()) thread_.join();
}

std::vector<Model> ModelCatalog::Get(const std::shared_ptr<Client>& client) {
  std::unique_lock lock(mutex_);
  if (models_.empty() && !asks_) {
    if (thread_.joinable()) thread_.join();  // it has left its lock for the last time
    asks_ = true;
    thread_ = std::thread([this, client] { Ask(client); });
  }
  changed_.wait_for(lock, kModelListTime, [this] { return !asks_; });
  return models_;
}

std::vector<Model> ModelCatalog::known() {
  const std::lock_guard lock(mutex_);
  return models_;
}

void ModelCatalog::Ask(const std::shared_ptr<Client>& client) {
  absl::StatusOr<cursorwire::ModelList> list = client->ListModels();
  const std::lock_guard lock(mutex_);
  if (list.ok()) models_ = std::move(list->models);
  asks_ = false;
  changed_.notify_all();
}

}  // namespace cursor_chat::acp
