#ifndef CURSORWIRE_APPS_GATEWAY_API_MODEL_MAP_H_
#define CURSORWIRE_APPS_GATEWAY_API_MODEL_MAP_H_

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cursor_gateway {

// Names of models that clients ask for, and what the service is asked for in their place. A value.
class ModelMap {
 public:
  // "FROM=TO", or several with commas between them. In FROM, `*` stands for any text.
  //   kInvalidArgument  one of them has no FROM, no TO, or a `*` in TO
  absl::Status Add(std::string_view list);

  // What the first FROM that matches stands for; else the name itself.
  std::string Find(const std::string& name) const;

  // FROM and TO, in the order in which they were added.
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_MODEL_MAP_H_
