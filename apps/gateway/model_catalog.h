#ifndef CURSORWIRE_APPS_GATEWAY_MODEL_CATALOG_H_
#define CURSORWIRE_APPS_GATEWAY_MODEL_CATALOG_H_

#include <absl/status/statusor.h>
#include <cursorwire/client.h>
#include <cursorwire/model.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/event_loop.h"
#include "openai/model_map.h"

namespace cursor_gateway {

inline constexpr std::chrono::minutes kCatalogLife{5};

// A value.
struct Catalog {
  std::vector<cursorwire::Model> models{};
  std::string list_body{};   // of an answer that lists them
  std::string codex_body{};  // of one to Codex
};

// The models of the account, asked for when somebody wants them and kept for kCatalogLife. On the
// loop's thread. Its destructor waits for a request that is under way.
class ModelCatalog {
 public:
  using Wanted = std::function<void(const absl::StatusOr<Catalog>&)>;

  // Its list also names what the map does.
  ModelCatalog(EventLoop& loop, const cursorwire::Client& client, ModelMap map)
      : loop_(loop), client_(client), map_(std::move(map)) {}
  ~ModelCatalog();
  ModelCatalog(const ModelCatalog&) = delete;
  ModelCatalog& operator=(const ModelCatalog&) = delete;

  // `wanted` is called now or later.
  void Get(Wanted wanted);

 private:
  void OnAnswer(const absl::StatusOr<cursorwire::ModelList>& answer);

  EventLoop& loop_;
  const cursorwire::Client& client_;
  const ModelMap map_;
  absl::StatusOr<Catalog> catalog_;  // an error until it is there
  TimePoint fetched_{};
  std::vector<Wanted> waiting_;
  std::thread thread_;  // asks, since that blocks
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_MODEL_CATALOG_H_
