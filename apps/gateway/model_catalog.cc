#include "model_catalog.h"

#include <memory>
#include <utility>

#include "common/start_thread.h"
#include "openai/model_list.h"

namespace cursor_gateway {

ModelCatalog::~ModelCatalog() {
  if (thread_.joinable()) thread_.join();
}

void ModelCatalog::Get(Wanted wanted) {
  if (catalog_.ok() && loop_.Now() - fetched_ < kCatalogLife) {
    wanted(catalog_);
    return;
  }
  waiting_.push_back(std::move(wanted));
  if (waiting_.size() > 1) return;
  if (thread_.joinable()) thread_.join();  // its answer is there already
  const bool started = cursor_apps::StartThread(thread_, [this] {
    auto answer = std::make_shared<absl::StatusOr<cursorwire::ModelList>>(client_.ListModels());
    loop_.Post([this, answer] { OnAnswer(*answer); });
  });
  if (!started) OnAnswer(cursor_apps::NoThreadError());
}

void ModelCatalog::OnAnswer(const absl::StatusOr<cursorwire::ModelList>& answer) {
  const std::vector<Wanted> waiting = std::exchange(waiting_, {});
  if (!answer.ok()) {
    // What was found long ago is no answer to those who wait.
    for (const Wanted& wanted : waiting) wanted(answer.status());
    return;
  }
  catalog_ = Catalog{.models = answer->models,
                     .list_body = ModelListBody(answer->models, map_),
                     .codex_body = ModelListBody(answer->models, map_, ListForm::kForCodex)};
  fetched_ = loop_.Now();
  for (const Wanted& wanted : waiting) wanted(catalog_);
}

}  // namespace cursor_gateway
