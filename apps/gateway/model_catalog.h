#ifndef CURSORWIRE_APPS_GATEWAY_MODEL_CATALOG_H_
#define CURSORWIRE_APPS_GATEWAY_MODEL_CATALOG_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/model.h>
#include <cursorwire/model_cache.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "api/model_map.h"
#include "http/event_loop.h"

namespace cursor_gateway {

// A value.
struct Catalog {
  std::vector<cursorwire::Model> models{};
  std::string list_body{};   // of an answer that lists them
  std::string codex_body{};  // of one to Codex
};

// The models of the account, as cursorwire::ModelCache keeps them, with the answers that are made
// of them. On the loop's thread. Its destructor ends a question that is under way.
class ModelCatalog {
 public:
  using Wanted = std::function<void(const absl::StatusOr<Catalog>&)>;
  using Lister = std::function<absl::StatusOr<cursorwire::ModelList>(const std::stop_token& stop)>;

  // The list also names what the map does. `lister` is called on another thread.
  ModelCatalog(EventLoop& loop, Lister lister, ModelMap map)
      : loop_(loop), lister_(std::move(lister)), map_(std::move(map)) {}
  ~ModelCatalog() { stop_.request_stop(); }
  ModelCatalog(const ModelCatalog&) = delete;
  ModelCatalog& operator=(const ModelCatalog&) = delete;

  // `wanted` is called later, once; not after the destructor.
  void Get(Wanted wanted);
  // Those that wait, now and from now on, get this in place of a list.
  void End(const absl::Status& why);

 private:
  using List = cursorwire::ModelCache::List;

  void OnList(const absl::StatusOr<List>& list);
  void Tell(const absl::StatusOr<Catalog>& catalog);

  EventLoop& loop_;
  const Lister lister_;
  const ModelMap map_;
  List list_;  // what `catalog_` is made of; nullptr: there is none yet
  absl::StatusOr<Catalog> catalog_;
  absl::Status ended_;
  std::vector<Wanted> waiting_;
  // What the cache's thread posts finds this by it, or nothing.
  std::shared_ptr<ModelCatalog*> self_ = std::make_shared<ModelCatalog*>(this);
  std::stop_source stop_;
  cursorwire::ModelCache cache_;  // destroyed first: its thread uses the others
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_MODEL_CATALOG_H_
