// Room: values
#ifndef CURSORWIRE_MODEL_H_
#define CURSORWIRE_MODEL_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cursorwire/export.h"

namespace cursorwire {

// A setting of a model, such as {"context", "1m"} or {"reasoning", "high"}.
struct ModelParameter {
  std::string id{};
  std::string value{};

  friend bool operator==(const ModelParameter&, const ModelParameter&) = default;
};

// A set of parameters that the service offers. Only whole sets are safe to send: not every
// combination of values that occur exists. Source: docs/protocol.md, models.
struct ModelVariant {
  std::vector<ModelParameter> parameters{};
  std::string display_name{};
  bool is_max_mode = false;
  // The variant to take if nothing is asked for, with and without max mode.
  bool is_default_max_config = false;
  bool is_default_non_max_config = false;
  std::string tagline{};
  std::string display_name_outside_picker{};
  std::string variant_string_representation{};
  std::string legacy_slug{};  // the id of before there were parameters

  friend bool operator==(const ModelVariant&, const ModelVariant&) = default;
};

// An id whose suffixes name its settings, such as "acme-5.5-high-fast".
struct ModelSlug {
  std::string id{};    // as it is sent
  std::string base{};  // without the suffixes that say what follows
  // One of the words of Model::efforts. Empty: the id names no effort; it means medium if other ids
  // of the model name one.
  std::string effort{};
  bool thinking = false;
  bool fast = false;
  bool max_mode = false;  // it is to be sent with max mode
  std::vector<std::string> aliases{};

  friend bool operator==(const ModelSlug&, const ModelSlug&) = default;
};

// One row of the catalog: a model with the choices there are. A value.
struct Model {
  // What a user says for it: an id that the service named, which may be sent as it is. "auto" lets
  // the service choose; it is sent as "default". Where each id of a family names an effort, it is
  // the one that is sent without a wish.
  std::string id{};
  std::string display_name{};
  std::string vendor{};
  std::string tagline{};
  // Other ids of the model. Those of one setting of it are in `slugs`.
  std::vector<std::string> aliases{};

  // Tokens that the model reads at once. What holds in the end is the limit that a checkpoint of
  // the turn tells.
  int64_t context_tokens = 0;
  bool context_is_guess = false;  // from the id, because the service did not say
  // The same in max mode; 0: not known.
  int64_t max_mode_context_tokens = 0;
  bool supports_max_mode = false;
  // Each variant and slug may be sent with max mode; else those alone that say so themselves.
  bool max_mode_with_all = false;
  bool requires_max_mode = false;         // it cannot be used without
  std::optional<bool> supports_images{};  // nullopt: the service did not say
  bool supports_thinking = false;

  // Words to choose from, in order: none, minimal, low, medium, high, xhigh, max.
  std::vector<std::string> efforts{};
  // Words such as "272k" and "1m", smallest first.
  std::vector<std::string> contexts{};

  // What can be sent. A model has variants, or slugs, or both; "auto" has its slug "default".
  std::vector<ModelVariant> variants{};
  std::vector<ModelSlug> slugs{};

  friend bool operator==(const Model&, const Model&) = default;
};

// What is known of the models.
struct ModelList {
  std::vector<Model> models{};  // "auto" first, then by id
  // The catalog comes from two calls. A call that failed is told of here; the models are then those
  // of the other.
  std::vector<absl::Status> failures{};
};

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

#endif  // CURSORWIRE_MODEL_H_
