#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_INPUT_ITEMS_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_INPUT_ITEMS_H_

#include <absl/status/status.h>

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/message.h"
#include "openai/tool_table.h"

namespace cursor_gateway {

// An item of a former response, by its id; nullptr: it is not known. It lives as long as the
// reading.
using FindItem = std::function<const nlohmann::json*(const std::string& id)>;

// How often a request may name items of former responses, and how much they may stand for.
inline constexpr size_t kMaxReferences = 1024;
inline constexpr size_t kMaxReferencedBytes = size_t{48} * 1024 * 1024;

// Reads the list `input` of /v1/responses, in time that is linear in it. Items of the assistant
// that follow each other are one message. Items of types that are not known are left out, unless a
// result names them: a history of another provider must not make a session unusable. Source:
// docs/gateway-codex.md, "Items".
class InputItems {
 public:
  // `tools` get those of the items as well. `find_item` may be empty.
  InputItems(ToolTable& tools, const FindItem& find_item) : tools_(tools), find_item_(find_item) {}

  // Appends to `messages`.
  //   a BadRequest() that names the field; 413: references stand for too much
  absl::Status Read(const nlohmann::json& input, std::vector<Message>& messages);

  // The last item asks for a summary in place of an answer.
  bool asks_for_compaction() const { return asks_for_compaction_; }

 private:
  absl::Status FindReferences(const nlohmann::json& input);
  void LookAt(const nlohmann::json& item);
  absl::Status ReadItem(const nlohmann::json& item, const std::string& where);
  absl::Status ReadMessage(const nlohmann::json& item, const std::string& where);
  absl::Status ReadCall(const nlohmann::json& item, std::string_view type,
                        const std::string& where);
  absl::Status ReadOutput(const nlohmann::json& item, std::string_view type,
                          const std::string& where);
  void ReadCompaction(const nlohmann::json& item);
  Message& AssistantMessage();
  std::string FoundTools(const nlohmann::json& list, std::string_view space);

  ToolTable& tools_;
  const FindItem& find_item_;
  ContentReader content_;
  std::vector<Message>* messages_ = nullptr;
  std::vector<const nlohmann::json*> items_;     // with those that references stand for
  std::set<std::string, std::less<>> answered_;  // ids of calls that have an output
  size_t told_entries_ = 0;                      // of lists of tools
  bool asks_for_compaction_ = false;
};

// The content of an item of compaction that stands for this summary. It holds the summary itself,
// so that nothing need be kept for it.
std::string CompactionContent(std::string_view summary);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_INPUT_ITEMS_H_
