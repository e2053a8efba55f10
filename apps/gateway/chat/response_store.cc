#include "chat/response_store.h"

#include <absl/strings/escaping.h>

#include <set>
#include <utility>

#include "openai/json_text.h"
#include "openai/sha256.h"

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

StateKey ResponseKey(const std::string& id) { return {StateKind::kResponse, id}; }
StateKey ItemKey(const std::string& id) { return {StateKind::kItem, id}; }

// Images stand beside the text, where each is kept once.
StateEntry ToEntry(const std::string& client_key, const std::vector<Message>& messages,
                   const nlohmann::json& output) {
  StateEntry entry{.owner = client_key};
  nlohmann::json list = nlohmann::json::array();
  for (const Message& message : messages) {
    nlohmann::json calls = nlohmann::json::array();
    for (const FunctionCall& call : message.calls) {
      calls.push_back({{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
    }
    nlohmann::json images = nlohmann::json::array();
    for (const std::string& image : message.images) {
      images.push_back(absl::BytesToHexString(Sha256(image)));
      entry.blobs.push_back(image);
    }
    list.push_back({{"role", static_cast<int>(message.role)},
                    {"text", message.text},
                    {"images", std::move(images)},
                    {"calls", std::move(calls)},
                    {"call_id", message.call_id}});
  }
  entry.value = CompactJson({{"messages", std::move(list)}, {"output", output}});
  return entry;
}

using Blobs = std::map<std::string, std::string>;  // by their digest in hex

std::optional<Message> ToMessage(const nlohmann::json& value, const Blobs& blobs) {
  if (!value.is_object()) return std::nullopt;
  const int role = value.value("role", -1);
  if (role < 0 || role > static_cast<int>(Role::kTool)) return std::nullopt;
  Message message{.role = static_cast<Role>(role),
                  .text = value.value("text", ""),
                  .call_id = value.value("call_id", "")};
  for (const nlohmann::json& call : value.value("calls", nlohmann::json::array())) {
    message.calls.push_back({.id = call.value("id", ""),
                             .name = call.value("name", ""),
                             .arguments = call.value("arguments", "")});
  }
  for (const nlohmann::json& image : value.value("images", nlohmann::json::array())) {
    const auto blob = blobs.find(image.get<std::string>());
    if (blob == blobs.end()) return std::nullopt;
    message.images.push_back(blob->second);
  }
  return message;
}

struct Said {
  std::vector<Message> messages;
  nlohmann::json output;
};

// nullopt: the entry is damaged.
std::optional<Said> ToSaid(StateEntry entry) {
  Blobs blobs;
  for (std::string& blob : entry.blobs) {
    std::string digest = absl::BytesToHexString(Sha256(blob));
    blobs.emplace(std::move(digest), std::move(blob));
  }
  absl::StatusOr<nlohmann::json> value = ReadJson(entry.value);
  if (!value.ok() || !value->is_object()) return std::nullopt;
  Said said;
  // What is of another type than it was written with throws.
  try {
    said.output = value->value("output", nlohmann::json::array());
    for (const nlohmann::json& one : value->value("messages", nlohmann::json::array())) {
      std::optional<Message> message = ToMessage(one, blobs);
      if (!message) return std::nullopt;
      said.messages.push_back(*std::move(message));
    }
    for (const nlohmann::json& item : said.output) item.value("id", "");
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return said;
}

}  // namespace

void ResponseStore::Put(const std::string& id, const std::string& client_key,
                        std::vector<Message> messages, nlohmann::json output,
                        const std::function<void()>& kept) {
  if (state_ != nullptr) {
    for (const nlohmann::json& item : output) {
      state_->Put(ItemKey(item.value("id", "")), {.owner = client_key, .value = id}, kStateLife,
                  nullptr);
    }
    state_->Put(ResponseKey(id), ToEntry(client_key, messages, output), kStateLife,
                [kept](const absl::Status&) { kept(); });
  }
  Remember(id, client_key, std::move(messages), std::move(output));
  if (state_ == nullptr) kept();
}

// What is to come before a request can be answered.
struct ResponseStore::Fetching {
  std::string client_key;
  std::function<void(const absl::Status&)> done;
  absl::Status status{};
  std::set<std::string> responses{};
  size_t waiting = 1;  // answers, and who asks for them

  void CountDown() {
    if (--waiting == 0) done(status);
  }
};

void ResponseStore::Fetch(const ResponseReferences& references, const std::string& client_key,
                          std::function<void(const absl::Status&)> done) {
  if (state_ == nullptr) return done(absl::OkStatus());
  const auto fetching =
      std::make_shared<Fetching>(Fetching{.client_key = client_key, .done = std::move(done)});
  if (!references.response_id.empty()) FetchResponse(fetching, references.response_id);
  for (const std::string& id : references.item_ids) {
    if (!responses_of_items_.contains(id)) FetchItem(fetching, id);
  }
  fetching->CountDown();
}

void ResponseStore::FetchItem(const std::shared_ptr<Fetching>& fetching, const std::string& id) {
  ++fetching->waiting;
  state_->Get(ItemKey(id),
              [this, fetching](const absl::StatusOr<std::optional<StateEntry>>& entry) {
                if (!entry.ok()) {
                  fetching->status = entry.status();
                } else if (*entry && (*entry)->owner == fetching->client_key) {
                  FetchResponse(fetching, (*entry)->value);
                }
                fetching->CountDown();
              });
}

void ResponseStore::FetchResponse(const std::shared_ptr<Fetching>& fetching,
                                  const std::string& id) {
  if (entries_.contains(id) || !fetching->responses.insert(id).second) return;
  ++fetching->waiting;
  state_->Get(ResponseKey(id),
              [this, fetching, id](absl::StatusOr<std::optional<StateEntry>> entry) {
                if (!entry.ok()) {
                  fetching->status = entry.status();
                } else if (*entry && (*entry)->owner == fetching->client_key) {
                  Load(id, **std::move(entry));
                }
                fetching->CountDown();
              });
}

void ResponseStore::Load(const std::string& id, StateEntry entry) {
  if (entries_.contains(id)) return;  // another request was first
  const std::string owner = entry.owner;
  std::optional<Said> said = ToSaid(std::move(entry));
  if (!said) return state_->CountError();
  Remember(id, owner, std::move(said->messages), std::move(said->output));
}

void ResponseStore::Remember(const std::string& id, const std::string& client_key,
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

const nlohmann::json* ResponseStore::FindItem(const std::string& id,
                                              const std::string& client_key) const {
  const auto response = responses_of_items_.find(id);
  if (response == responses_of_items_.end()) return nullptr;
  const Entry& entry = entries_.at(response->second);
  if (entry.client_key != client_key) return nullptr;
  for (const nlohmann::json& item : entry.output) {
    if (item.value("id", "") == id) return &item;
  }
  return nullptr;
}

const std::vector<Message>* ResponseStore::Find(const std::string& id,
                                                const std::string& client_key) const {
  const auto it = entries_.find(id);
  if (it == entries_.end() || it->second.client_key != client_key) return nullptr;
  return &it->second.messages;
}

}  // namespace cursor_gateway
