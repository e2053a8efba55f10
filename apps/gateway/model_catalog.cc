#include "model_catalog.h"

#include <memory>
#include <utility>

namespace cursor_gateway {

ModelCatalog::~ModelCatalog() {
  if (thread_.joinable()) thread_.join();
}

void ModelCatalog::Get(Wanted wanted) {
  if (models_ && loop_.Now() - fetched_ < kCatalogLife) {
    wanted(*models_);
    return;
  }
  waiting_.push_back(std::move(wanted));
  if (waiting_.size() > 1) return;
  if (thread_.joinable()) thread_.join();  // its answer is there already
  thread_ = std::thread([this] {
    auto answer = std::make_shared<absl::StatusOr<cursorwire::ModelList>>(client_.ListModels());
    loop_.Post([this, answer] { OnAnswer(*answer); });
  });
}

void ModelCatalog::OnAnswer(const absl::StatusOr<cursorwire::ModelList>& answer) {
  if (answer.ok()) {
    models_ = answer->models;
    fetched_ = loop_.Now();
  }
  const Models models = answer.ok() ? Models(answer->models) : Models(answer.status());
  for (const Wanted& wanted : std::exchange(waiting_, {})) wanted(models);
}

}  // namespace cursor_gateway
