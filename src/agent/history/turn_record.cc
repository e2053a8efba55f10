#include "agent/history/turn_record.h"

#include <absl/hash/hash.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "agent/history/exec_text.h"
#include "agent/tools/tool_offer.h"
#include "wire/json.h"
#include "wire/proto_reader.h"

namespace cursorwire::agent {
namespace {

// Field number in ConversationStateStructure.
constexpr uint32_t kPendingToolCalls = 4;
// What an entry takes beside its texts.
constexpr size_t kRecordEntryBytes = 256;

bool NamesPendingToolCalls(std::string_view state) {
  wire::ProtoReader reader(state);
  for (;;) {
    const auto field = reader.Next();
    if (!field.ok() || !field->has_value()) return false;
    if ((*field)->number == kPendingToolCalls) return true;
  }
}

HistoryToolCall ToHistory(const ToolCallInfo& info) {
  return {.call_id = info.call_id,
          .name = info.kind == "mcp" ? ToolOffer::ModelName(info.name) : info.kind,
          .arguments_json = info.arguments_json};
}

// The texts of a tool's result, if it is one, else its JSON.
void SetShownResult(const std::string& result_json, HistoryToolCall& call) {
  const absl::StatusOr<wire::Json> result = wire::ParseJson(result_json);
  const wire::Json* success = result.ok() ? result->Find("success") : nullptr;
  const wire::Json* content = success == nullptr ? nullptr : success->Find("content");
  std::string text;
  if (content != nullptr) {
    for (const wire::Json& item : content->items) {
      const wire::Json* part = item.Find("text");
      if (part != nullptr) text += part->FindString("text");
    }
  }
  call.result = BoundedResult(text.empty() ? result_json : text);
  const wire::Json* is_error = success == nullptr ? nullptr : success->Find("is_error");
  call.is_error = is_error != nullptr && is_error->boolean;
}

bool IsText(const HistoryItem& item) { return std::holds_alternative<HistoryText>(item); }

}  // namespace

TurnRecord::TurnRecord(HistoryTurn start) : start_(std::move(start)) {
  for (HistoryItem& item : std::exchange(start_.items, {})) {
    const bool is_tool = !IsText(item);
    Entry& entry = entries_.emplace_back(
        Entry{.item = {}, .used = is_tool, .done = is_tool, .shown = is_tool, .held = true});
    entry.is_former = true;
    if (is_tool) {
      entry.item = std::move(item);
    } else {
      entry.item = HistoryText{};
      entry.text.Append(std::get<HistoryText>(item).text);
    }
  }
  held_entries_ = entries_.size();
  held_text_bytes_ = LastTextBytes();
}

HistoryItem TurnRecord::ItemOf(const Entry& entry) {
  if (IsText(entry.item)) return HistoryText{entry.text.Since(0)};
  return entry.item;
}

size_t TurnRecord::LastTextBytes() const {
  return entries_.empty() ? 0 : entries_.back().text.size();
}

void TurnRecord::OnEvent(const ChatEvent& event) {
  if (const auto* text = event.As<TextDelta>()) return OnText(text->text);
  if (const auto* started = event.As<ToolCallStarted>()) return OnToolCall(started->call);
  if (const auto* completed = event.As<ToolCallCompleted>())
    return OnToolCompleted(completed->call);
  if (const auto* checkpoint = event.As<Checkpoint>()) return OnCheckpoint(checkpoint->state);
  if (event.As<TurnEnded>() != nullptr) complete_ = true;
}

void TurnRecord::OnText(std::string_view text) {
  if (!Fits(text.size())) {
    dropped_since_ = true;
    return;
  }
  if (entries_.empty() || !IsText(entries_.back().item)) {
    entries_.push_back({.item = HistoryText{}});
  }
  entries_.back().text.Append(text);
}

void TurnRecord::OnToolCall(const ToolCallInfo& info) {
  if (FindCall(info.call_id) != nullptr) return;
  Entry* entry = AddCall(ToHistory(info));
  if (entry != nullptr) entry->is_call = true;
}

void TurnRecord::OnToolCompleted(const ToolCallInfo& info) {
  Entry* entry = FindCall(info.call_id);
  if (entry == nullptr) entry = AddCall(ToHistory(info));
  if (entry == nullptr) return;
  entry->used = true;
  // All actions of the call.
  for (Entry& one : entries_) {
    const auto* call = std::get_if<HistoryToolCall>(&one.item);
    if (&one == entry ||
        (call != nullptr && !info.call_id.empty() && call->call_id == info.call_id))
      one.shown = true;
  }
  // What the host answered is what the model saw.
  if (std::exchange(entry->done, true)) return;
  auto& call = std::get<HistoryToolCall>(entry->item);
  SetShownResult(info.result_json, call);
  bytes_ += call.result.size();
}

void TurnRecord::OnExec(const ExecRequest& request) {
  HistoryToolCall call = agent::ToHistory(request.args, request.call_id);
  const size_t action = absl::HashOf(call.name, call.arguments_json);
  const bool reads = std::holds_alternative<ReadArgs>(request.args);
  Entry* entry = FindCall(request.call_id);
  if (entry == nullptr || !Takes(*entry, call.name, action)) entry = AddCall(std::move(call));
  if (entry == nullptr) return;
  entry->only_read = reads && (entry->only_read || !entry->action);
  entry->action = action;
  entry->used = true;
  entry->done = entry->shown = entry->held = false;
  entry->exec_id = request.id;
}

bool TurnRecord::Takes(const Entry& entry, std::string_view name, size_t action) {
  if (entry.exec_id) return false;  // one call may want several actions at a time
  if (entry.is_former && !entry.action) return std::get<HistoryToolCall>(entry.item).name == name;
  if (!entry.action) return true;
  // An edit reads the file before it writes it.
  return *entry.action == action || (entry.is_call && entry.only_read);
}

void TurnRecord::OnExecOutput(uint32_t id, std::string_view out, std::string_view err) {
  Entry* entry = FindExec(id);
  if (entry == nullptr) return;
  entry->printed.Append(out);
  entry->printed.Append(err);
}

void TurnRecord::OnExecAnswer(uint32_t id, const absl::StatusOr<ExecOutput>& output) {
  Entry* entry = FindExec(id);
  if (entry == nullptr) return;
  auto& call = std::get<HistoryToolCall>(entry->item);
  SetResult(output, std::exchange(entry->printed, {}), call);
  bytes_ += call.result.size();
  entry->done = true;
  entry->exec_id.reset();
}

void TurnRecord::OnExecAbort(uint32_t id) {
  Entry* entry = FindExec(id);
  if (entry == nullptr) return;
  SetResult(absl::CancelledError("stopped by the service"), std::exchange(entry->printed, {}),
            std::get<HistoryToolCall>(entry->item));
  entry->done = true;
  entry->exec_id.reset();
}

void TurnRecord::OnCheckpoint(const std::string& state) {
  const bool pending = NamesPendingToolCalls(state);
  for (Entry& entry : entries_) {
    const bool is_text = IsText(entry.item);
    entry.held = entry.held || is_text || (entry.done && (entry.shown || !pending));
  }
  held_entries_ = entries_.size();
  held_text_bytes_ = LastTextBytes();
  checkpoint_ = state;
  dropped_since_ = false;
}

TurnRecord::Entry* TurnRecord::FindCall(std::string_view call_id) {
  if (call_id.empty()) return nullptr;
  // Calls that come again are among the last.
  const auto entry = std::find_if(entries_.rbegin(), entries_.rend(), [call_id](const Entry& e) {
    const auto* call = std::get_if<HistoryToolCall>(&e.item);
    return call != nullptr && call->call_id == call_id;
  });
  return entry == entries_.rend() ? nullptr : &*entry;
}

TurnRecord::Entry* TurnRecord::FindExec(uint32_t id) {
  const auto entry = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [id](const Entry& e) { return e.exec_id == id; });
  return entry == entries_.rend() ? nullptr : &*entry;
}

TurnRecord::Entry* TurnRecord::AddCall(HistoryToolCall call) {
  if (call.arguments_json.size() > kMaxHistoryArgumentsBytes) call.arguments_json = "{}";
  if (entries_.size() >= kMaxEntries) truncated_ = true;
  if (!Fits(kRecordEntryBytes + call.call_id.size() + call.name.size() +
            call.arguments_json.size())) {
    dropped_since_ = true;
    return nullptr;
  }
  return &entries_.emplace_back(Entry{.item = std::move(call)});
}

bool TurnRecord::Fits(size_t bytes) {
  if (bytes > kMaxBytes - std::min(bytes_, kMaxBytes)) truncated_ = true;
  if (!truncated_) bytes_ += bytes;
  return !truncated_;
}

std::string TurnRecord::TextSince(size_t first) const {
  std::string text;
  for (size_t i = first; i < entries_.size(); ++i) text += entries_[i].text.Since(0);
  return text;
}

HistoryToolCall TurnRecord::UnansweredOf(const Entry& entry) {
  HistoryToolCall call = std::get<HistoryToolCall>(entry.item);
  SetResult(
      absl::CancelledError("stopped before it ended: it may have been done, wholly or in part"),
      entry.printed, call);
  return call;
}

RunProgress TurnRecord::progress() const {
  RunProgress progress{
      .turn = start_, .complete = complete_, .truncated = truncated_, .checkpoint = checkpoint_};
  size_t behind_tools = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (IsText(entry.item) || entry.done) {
      progress.turn.items.push_back(ItemOf(entry));
      if (i < held_entries_) progress.held.push_back(progress.turn.items.back());
    } else if (entry.exec_id) {
      progress.unanswered.push_back(UnansweredOf(entry));
    }
    if (entry.used && !entry.held) {
      progress.tools_since = true;
      behind_tools = i + 1;
    }
  }
  if (held_entries_ > 0) {
    const Entry& last = entries_[held_entries_ - 1];
    if (IsText(last.item)) {
      progress.text_since = last.text.Since(held_text_bytes_);
      std::get<HistoryText>(progress.held.back()).text.resize(held_text_bytes_);
    }
  }
  progress.text_since += TextSince(held_entries_);
  progress.text_since_tools = progress.tools_since && !TextSince(behind_tools).empty();
  progress.held_whole = !checkpoint_.empty() && progress.text_since.empty() &&
                        !progress.tools_since && !dropped_since_;
  if (truncated_) progress.turn.items.emplace_back(HistoryText{"[the rest is not kept]"});
  return progress;
}

}  // namespace cursorwire::agent
