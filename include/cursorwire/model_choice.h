// Room: src/agent/models
#ifndef CURSORWIRE_MODEL_CHOICE_H_
#define CURSORWIRE_MODEL_CHOICE_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string>
#include <vector>

#include "cursorwire/export.h"
#include "cursorwire/model.h"

namespace cursorwire {

// A model in the words of a user. What is empty is left to the service's defaults.
struct ModelWish {
  // An id of a Model, or any other id or alias in it, or such an id without its effort. An id that
  // names an effort, such as "acme-5.5-high", is a wish for it; `effort` goes before that.
  std::string model = "auto";
  std::string effort{};   // one of Model::efforts; "extra-high" is "xhigh", "off" is "none"
  std::string context{};  // one of Model::contexts
  std::optional<bool> max_mode{};
  std::optional<bool> fast{};
  std::optional<bool> thinking{};
};

// What to put into a ChatRequest: `model`, `max_mode` and `model_parameters`.
struct ChosenModel {
  std::string model_id{};
  bool max_mode = false;
  std::vector<ModelParameter> parameters{};

  friend bool operator==(const ChosenModel&, const ChosenModel&) = default;
};

// Finds an advertised model that fits the wish; it never makes a name up. If several fit, it takes
// one without max mode, and among these the one that differs least from the model's default.
// Where Model::max_mode_with_all says so, any variant may be sent with max mode (docs/protocol.md,
// models).
// Thread-safe.
//   kInvalidArgument  no such model, or it does not offer that; the message lists what there is
CURSORWIRE_EXPORT absl::StatusOr<ChosenModel> ChooseModel(const std::vector<Model>& models,
                                                          const ModelWish& wish);

}  // namespace cursorwire

#endif  // CURSORWIRE_MODEL_CHOICE_H_
