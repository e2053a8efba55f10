#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_MESSAGE_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_MESSAGE_H_

#include <absl/strings/match.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cursor_gateway {

// Whether two texts are the same but for the case of ASCII letters.
inline bool SameWord(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(absl::string_view(a.data(), a.size()),
                                absl::string_view(b.data(), b.size()));
}

using HttpFields = std::vector<std::pair<std::string, std::string>>;

// A request without its body. A value.
struct HttpHead {
  std::string method{};
  std::string path{};   // as it was sent, without the query
  std::string query{};  // as it was sent, from the question mark on
  bool is_http_1_0 = false;
  HttpFields fields{};  // in order

  // The first field of that name, in any case; nullptr: there is none.
  const std::string* Find(std::string_view name) const {
    for (const auto& field : fields) {
      if (SameWord(field.first, name)) return &field.second;
    }
    return nullptr;
  }
  size_t Count(std::string_view name) const {
    return static_cast<size_t>(
        std::count_if(fields.begin(), fields.end(),
                      [name](const auto& field) { return SameWord(field.first, name); }));
  }
};

// A whole answer. A value. Length, date and what HTTP itself needs are added to it.
struct HttpAnswer {
  int status = 200;
  HttpFields fields{};
  std::string body{};
  bool close = false;   // the connection ends after it
  bool failed = false;  // also with status 200: the same request may go well
  // In place of `body`, without a copy for each answer: bytes that last as long as the process.
  std::string_view lasting_body{};

  std::string_view content() const { return lasting_body.empty() ? body : lasting_body; }
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_MESSAGE_H_
