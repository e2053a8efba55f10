#include "model_catalog.h"

#include <memory>
#include <utility>

#include "api/api_error.h"
#include "api/model_list.h"
#include "error_answer.h"

namespace cursor_gateway {

void ModelCatalog::Get(Wanted wanted) {
  waiting_.push_back(std::move(wanted));
  const std::weak_ptr<ModelCatalog*> self = self_;
  cache_.Get([this] { return lister_(stop_.get_token()); },
             [self, &loop = loop_](const absl::StatusOr<List>& list) {
               loop.Post([self, list] {
                 if (const auto alive = self.lock()) (*alive)->OnList(list);
               });
             });
}

void ModelCatalog::End(const absl::Status& why) {
  ended_ = why;
  Tell(why);
}

void ModelCatalog::OnList(const absl::StatusOr<List>& list) {
  if (!ended_.ok()) return Tell(ended_);
  // What was found long ago is no answer to those who wait.
  if (!list.ok()) return Tell(list.status());
  if (*list == list_) return Tell(catalog_);
  const bool made = loop_.Call([&] {
    catalog_ = Catalog{.models = (*list)->models,
                       .list_body = ModelListBody((*list)->models, map_),
                       .codex_body = ModelListBody((*list)->models, map_, ListForm::kForCodex)};
    list_ = *list;
  });
  Tell(made ? catalog_ : ToStatus(OwnFailure()));
}

void ModelCatalog::Tell(const absl::StatusOr<Catalog>& catalog) {
  for (const Wanted& wanted : std::exchange(waiting_, {})) {
    loop_.Call([&] { wanted(catalog); });
  }
}

}  // namespace cursor_gateway
