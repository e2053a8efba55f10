#ifndef CURSORWIRE_APPS_ACP_SESSION_CHOICES_H_
#define CURSORWIRE_APPS_ACP_SESSION_CHOICES_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>
#include <cursorwire/model.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json.h"

namespace cursor_acp {

// Models that an editor can choose from; a longer list is cut.
inline constexpr size_t kMaxModelChoices = 500;

// What the user of an editor chooses for a session. A value.
struct Choices {
  cursorwire::AgentMode mode = cursorwire::AgentMode::kAgent;
  std::string model = "auto";
  std::string effort{};  // empty: the model's default

  friend bool operator==(const Choices&, const Choices&) = default;
};

std::string_view NameOf(cursorwire::AgentMode mode);
std::optional<cursorwire::AgentMode> ModeNamed(std::string_view name);

// `modes` and `configOptions` of a session. The list may be empty: then only the model in use can
// be chosen.
Json DescribeModes(const Choices& choices);
Json DescribeOptions(const Choices& choices, const std::vector<cursorwire::Model>& models);

// Sets the option `config_id`: mode, model or effort. Another model keeps the effort if it has it.
//   kInvalidArgument  no such option or value; the message names it
absl::Status SetOption(const std::string& config_id, const std::string& value,
                       const std::vector<cursorwire::Model>& models, Choices& choices);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_SESSION_CHOICES_H_
