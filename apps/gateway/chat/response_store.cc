#include "chat/response_store.h"

#include <utility>

#include "openai/json_text.h"

namespace cursor_gateway {
namespace {

constexpr size_t kBytesOfAMessage = 256;  // beside its texts

size_t BytesOf(const std::vector<Message>& messages) {
  size_t bytes = 0;
  for (const Message& message : messages) {
    bytes += kBytesOfAMessage + message.text.size();
    for (const std::string& image : message.images) bytes += image.size();
    for (const FunctionCall& call : message.calls) {
      bytes += kBytesOfAMessage + call.arguments.size() + call.name.size();
    }
  }
  return bytes;
}

}  // namespace

void ResponseStore::Put(const std::string& id, const std::string& client_key,
                        std::vector<Message> messages, nlohmann::json output) {
  const size_t bytes = BytesOf(messages) + CompactJson(output).size();
  for (const nlohmann::json& item : output) responses_of_items_[item.value("id", "")] = id;
  entries_[id] = {client_key, std::move(messages), std::move(output), bytes};
  order_.push_back(id);
  bytes_ += bytes;
  while (!order_.empty() && (order_.size() > kMaxResponses || bytes_ > kMaxResponsesBytes)) {
    const auto oldest = entries_.find(order_.front());
    bytes_ -= oldest->second.bytes;
    for (const nlohmann::json& item : oldest->second.output) {
      responses_of_items_.erase(item.value("id", ""));
    }
    entries_.erase(oldest);
    order_.pop_front();
  }
}

std::optional<nlohmann::json> ResponseStore::FindItem(const std::string& id,
                                                      const std::string& client_key) const {
  const auto response = responses_of_items_.find(id);
  if (response == responses_of_items_.end()) return std::nullopt;
  const Entry& entry = entries_.at(response->second);
  if (entry.client_key != client_key) return std::nullopt;
  for (const nlohmann::json& item : entry.output) {
    if (item.value("id", "") == id) return item;
  }
  return std::nullopt;
}

const std::vector<Message>* ResponseStore::Find(const std::string& id,
                                                const std::string& client_key) const {
  const auto it = entries_.find(id);
  if (it == entries_.end() || it->second.client_key != client_key) return nullptr;
  return &it->second.messages;
}

}  // namespace cursor_gateway
