#ifndef CURSORWIRE_APPS_GATEWAY_API_CONCAT_H_
#define CURSORWIRE_APPS_GATEWAY_API_CONCAT_H_

#include <concepts>
#include <string>
#include <string_view>

namespace cursor_gateway {

// Appends texts and numbers. In place of absl::StrAppend(), which does not take a std::string_view
// where Abseil has a type of its own for it.
template <typename... Pieces>
void Append(std::string& text, const Pieces&... pieces) {
  const auto append = [&text](const auto& piece) {
    if constexpr (std::integral<std::remove_cvref_t<decltype(piece)>>) {
      text += std::to_string(piece);
    } else {
      text += std::string_view(piece);
    }
  };
  (append(pieces), ...);
}

template <typename... Pieces>
std::string Concat(const Pieces&... pieces) {
  std::string text;
  Append(text, pieces...);
  return text;
}

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_CONCAT_H_
