#include "chat/response_store.h"

#include <absl/strings/escaping.h>

#include <utility>

#include "api/json_text.h"
#include "base/sha256.h"

namespace cursor_gateway {
namespace {

StateKey ResponseKey(const std::string& id) { return {StateKind::kResponse, id}; }
StateKey ItemKey(const std::string& id) { return {StateKind::kItem, id}; }

// Images stand beside the text, where each is kept once.
StateEntry ToEntry(const std::string& client_key, const KeptResponse& response) {
  StateEntry entry{.owner = client_key};
  nlohmann::json list = nlohmann::json::array();
  for (const Message& message : response.messages) {
    nlohmann::json calls = nlohmann::json::array();
    for (const FunctionCall& call : message.calls) {
      calls.push_back({{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
    }
    nlohmann::json images = nlohmann::json::array();
    for (const std::string& image : message.images) {
      images.push_back(absl::BytesToHexString(cursorwire::Sha256(image)));
      entry.blobs.push_back(image);
    }
    list.push_back({{"role", static_cast<int>(message.role)},
                    {"text", message.text},
                    {"images", std::move(images)},
                    {"calls", std::move(calls)},
                    {"call_id", message.call_id},
                    {"is_error", message.is_error}});
  }
  nlohmann::json rules = nlohmann::json::array();
  for (const std::string& rule : response.own_rules) rules.push_back(absl::Base64Escape(rule));
  entry.value = CompactJson({{"messages", std::move(list)},
                             {"name", absl::Base64Escape(response.name)},
                             {"own_rules", std::move(rules)}});
  return entry;
}

using Blobs = std::map<std::string, std::string>;  // by their digest in hex

std::optional<Message> ToMessage(const nlohmann::json& value, const Blobs& blobs) {
  if (!value.is_object()) return std::nullopt;
  const int role = value.value("role", -1);
  if (role < 0 || role > static_cast<int>(Role::kTool)) return std::nullopt;
  Message message{.role = static_cast<Role>(role),
                  .text = value.value("text", ""),
                  .call_id = value.value("call_id", ""),
                  .is_error = value.value("is_error", false)};
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

// nullopt: the entry is damaged.
std::optional<KeptResponse> ToResponse(StateEntry entry) {
  Blobs blobs;
  for (std::string& blob : entry.blobs) {
    std::string digest = absl::BytesToHexString(cursorwire::Sha256(blob));
    blobs.emplace(std::move(digest), std::move(blob));
  }
  absl::StatusOr<nlohmann::json> value = ReadJson(entry.value);
  if (!value.ok() || !value->is_object()) return std::nullopt;
  KeptResponse response;
  // What is of another type than it was written with throws.
  try {
    for (const nlohmann::json& one : value->value("messages", nlohmann::json::array())) {
      std::optional<Message> message = ToMessage(one, blobs);
      if (!message) return std::nullopt;
      response.messages.push_back(*std::move(message));
    }
    if (!absl::Base64Unescape(value->value("name", ""), &response.name)) return std::nullopt;
    for (const nlohmann::json& rule : value->value("own_rules", nlohmann::json::array())) {
      std::string& digest = response.own_rules.emplace_back();
      if (!absl::Base64Unescape(rule.get<std::string>(), &digest)) return std::nullopt;
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  return response;
}

}  // namespace

void ResponseStore::Put(const std::string& id, const std::string& client_key,
                        const KeptResponse& response, const nlohmann::json& output,
                        const std::function<void()>& kept) {
  for (const nlohmann::json& item : output) {
    state_.Put(ItemKey(item.value("id", "")), {.owner = client_key, .value = CompactJson(item)},
               kStateLife, nullptr);
  }
  state_.Put(ResponseKey(id), ToEntry(client_key, response), kStateLife,
             [kept](const absl::Status&) { kept(); });
}

void ResponseStore::Find(const ResponseReferences& references, const std::string& client_key,
                         std::shared_ptr<const bool> gone, Found done) {
  std::vector<StateKey> keys;
  if (!references.response_id.empty()) keys.push_back(ResponseKey(references.response_id));
  for (const std::string& id : references.item_ids) keys.push_back(ItemKey(id));
  if (keys.empty()) return done(FormerResponses());
  searches_.push_back({std::move(keys), client_key, std::move(gone), std::move(done)});
  if (searches_.size() == 1) SearchNext();
}

void ResponseStore::SearchNext() {
  while (!searches_.empty() && *searches_.front().gone) searches_.pop_front();
  if (searches_.empty()) return;
  const Search& next = searches_.front();
  state_.GetAll(next.keys, next.client_key, kMaxFormerBytes,
                [this](absl::StatusOr<StateStore::Entries> entries) {
                  loop_.Call([&] { Tell(searches_.front(), std::move(entries)); });
                  searches_.pop_front();
                  SearchNext();
                });
}

void ResponseStore::Tell(const Search& search, absl::StatusOr<StateStore::Entries> entries) {
  if (*search.gone) return;
  if (!entries.ok()) return search.done(entries.status());
  search.done(ReadAll(search.keys, *std::move(entries)));
}

FormerResponses ResponseStore::ReadAll(const std::vector<StateKey>& keys,
                                       StateStore::Entries entries) {
  FormerResponses former;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!entries[i]) continue;
    former.bytes += BytesOf(*entries[i]);
    Read(keys[i], *std::move(entries[i]), former);
  }
  return former;
}

// One that is damaged is not known any more.
void ResponseStore::Read(const StateKey& key, StateEntry entry, FormerResponses& former) {
  if (key.kind == StateKind::kResponse) {
    former.response = ToResponse(std::move(entry));
    if (!former.response) state_.CountError();
    return;
  }
  absl::StatusOr<nlohmann::json> item = ReadJson(entry.value);
  if (!item.ok()) return state_.CountError();
  former.items.emplace(key.name, *std::move(item));
}

}  // namespace cursor_gateway
