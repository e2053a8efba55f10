#include "collab/room_agent/room_agent_session.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "base/text.h"
#include "collab/room_agent/completed_lines.h"
#include "collab/room_agent/line_tools.h"
#include "collab/room_agent/prompt_window.h"
#include "collab/room_agent/trigger.h"
#include "crdt/text/text_size.h"
#include "crdt/yjs/clock_ranges.h"
#include "crdt/yjs/update.h"

namespace cursorwire::room_agent {
namespace {

using crdt::Unit;

constexpr std::string_view kReadOnlyReason = "read-only session";
constexpr std::string_view kFullReason = "too many prompts wait";

// The line of a text that has this byte, without its line feed.
struct RoomAgentLine {
  uint32_t begin = 0;
  uint32_t end = 0;
};

RoomAgentLine RoomAgentLineAt(std::string_view text, size_t byte) {
  byte = std::min(byte, text.size());
  const size_t feed = byte == 0 ? std::string_view::npos : text.rfind('\n', byte - 1);
  const size_t end = std::min(text.find('\n', byte), text.size());
  return {.begin = static_cast<uint32_t>(feed == std::string_view::npos ? 0 : feed + 1),
          .end = static_cast<uint32_t>(end)};
}

std::string_view TextOfLine(std::string_view text, const RoomAgentLine& line) {
  return text.substr(line.begin, line.end - line.begin);
}

uint32_t NumberOfLine(std::string_view text, const RoomAgentLine& line) {
  return CountLines(text.substr(0, line.begin)) + 1;
}

// Nothing stands before the prompt but what may belong to a comment.
bool IsPromptAlone(std::string_view before) {
  return std::none_of(before.begin(), before.end(), [](char byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || static_cast<uint8_t>(byte) >= 0x80;
  });
}

// Updates of one document, each made right behind the one before, as one.
std::string JoinUpdates(const std::vector<std::string>& updates) {
  if (updates.size() == 1) return updates.front();
  yjs::Update joined;
  std::map<uint64_t, std::vector<yjs::ClockRange>, std::greater<>> deletes;
  for (const std::string& update : updates) {
    const absl::StatusOr<yjs::Update> read = yjs::ReadUpdate(update);
    if (!read.ok()) continue;  // never: Document wrote it
    for (const yjs::ClientStructs& made : read->clients) {
      if (joined.clients.empty()) {
        joined.clients.push_back(made);
      } else {
        std::vector<yjs::Struct>& structs = joined.clients.front().structs;
        structs.insert(structs.end(), made.structs.begin(), made.structs.end());
      }
    }
    for (const yjs::ClientDeletes& of_client : read->deletes) {
      std::vector<yjs::ClockRange>& ranges = deletes[of_client.client];
      ranges.insert(ranges.end(), of_client.ranges.begin(), of_client.ranges.end());
    }
  }
  for (auto& [client, ranges] : deletes) {
    yjs::SortAndJoin(ranges);
    joined.deletes.push_back({.client = client, .ranges = std::move(ranges)});
  }
  return yjs::WriteUpdate(joined);
}

std::string_view ReasonOfEditError(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kAborted:
      return "changed meanwhile";
    case absl::StatusCode::kFailedPrecondition:
      return ReasonOf(RegionFate::kOverlap);
    case absl::StatusCode::kResourceExhausted:
      return ReasonOf(RegionFate::kTooMuch);
    default:
      return ReasonOf(RegionFate::kNotFound);
  }
}

std::string CountOfEdits(uint32_t edits) {
  return absl::StrCat(edits, edits == 1 ? " edit" : " edits");
}

// Whether words of a model that has tools are meant as regions all the same: one of them says at
// both ends where it belongs, with more than blank lines.
bool AreRegionsMeant(const std::vector<RegionPlace>& places) {
  return std::any_of(places.begin(), places.end(), [](const RegionPlace& place) {
    return place.fate == RegionFate::kReplace && place.is_firm;
  });
}

}  // namespace

struct RoomAgentSession::Run {
  Run(yjs::Document& document, Waiting waiting, const LineToolLimits& limits)
      : prompt(std::move(waiting)),
        snapshot(document, prompt.path),
        tools(snapshot, limits),
        dividers(snapshot.text()) {}

  Waiting prompt;
  LineSnapshot snapshot;
  LineTools tools;
  RegionDividers dividers;
  uint32_t line_number = 0;
  std::string line{};  // that asked, as it was
  PromptWindow window{};
  TimePoint deadline{};
  uint32_t edits = 0;
  uint32_t calls = 0;
  std::vector<std::string> refusals{};  // of regions, for people
};

RoomAgentSession::RoomAgentSession(yjs::Document& document, SessionOptions options)
    : document_(document), options_(std::move(options)) {}

RoomAgentSession::~RoomAgentSession() = default;

std::optional<SessionEvent> RoomAgentSession::TakeEvent() {
  if (events_.empty()) return std::nullopt;
  SessionEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

// --- the room

void RoomAgentSession::OnActiveFile(std::string path, TimePoint now) {
  if (is_closed_ || path == active_) return;
  if (!active_.empty()) document_.Unwatch(active_);
  active_ = std::move(path);
  load_deadline_.reset();
  if (active_.empty()) return;
  document_.Watch(active_);
  is_loaded_ = document_.size(active_).bytes > 0;
  if (!is_loaded_) load_deadline_ = now + kEmptyFileTimeout;
  events_.emplace_back(ActiveFile{active_});
}

void RoomAgentSession::OnSynced(TimePoint now) {
  if (is_closed_ || active_.empty() || is_loaded_) return;
  FollowActiveFile(now);
}

void RoomAgentSession::OnDocumentChanged(TimePoint now) {
  if (is_closed_) return;
  if (!active_.empty()) FollowActiveFile(now);
  if (run_ != nullptr && run_->edits == 0 && IsDeleted(run_->prompt.path, run_->prompt.at)) {
    CancelRun(absl::CancelledError("the prompt was deleted"));
  }
  StartNext(now);
}

void RoomAgentSession::OnReadOnly(bool read_only, TimePoint now) {
  if (is_closed_ || read_only == is_read_only_) return;
  is_read_only_ = read_only;
  told_refusal_ = false;
  if (!read_only) return StartNext(now);
  if (run_ != nullptr) CancelRun(absl::CancelledError(ToAbsl(kReadOnlyReason)));
  if (queue_.empty()) return;
  SkipWaiting(kReadOnlyReason);
  ReportRefusal(kReadOnlyReason);
}

void RoomAgentSession::OnClosed(TimePoint /*now*/) {
  if (is_closed_) return;
  is_closed_ = true;
  load_deadline_.reset();
  if (run_ != nullptr) CancelRun(absl::CancelledError("the room was closed"));
  SkipWaiting("room closed");
}

std::optional<TimePoint> RoomAgentSession::deadline() const {
  if (run_ == nullptr) return load_deadline_;
  return load_deadline_ ? std::min(*load_deadline_, run_->deadline) : run_->deadline;
}

void RoomAgentSession::OnDeadline(TimePoint now) {
  if (load_deadline_ && *load_deadline_ <= now) {
    load_deadline_.reset();
    is_loaded_ = true;
  }
  if (run_ == nullptr || run_->deadline > now) return;
  CancelRun(absl::DeadlineExceededError(
      absl::StrCat("the run took more than ", options_.timeout.count(), " ms")));
  StartNext(now);
}

// --- prompts

bool RoomAgentSession::IsDeleted(const std::string& path, const yjs::Id& unit) const {
  const std::optional<crdt::TextSize> begin = document_.PositionOf(path, unit, 0);
  const std::optional<crdt::TextSize> end = document_.PositionOf(path, unit, -1);
  return !begin || !end || *begin == *end;
}

void RoomAgentSession::FollowActiveFile(TimePoint now) {
  const std::vector<yjs::TextChange> changes = document_.TakeChanges(active_);
  const uint32_t bytes = document_.size(active_).bytes;
  if (!is_loaded_ && (!load_deadline_ || *load_deadline_ > now)) {
    // The first text is what the host has loaded: nobody has typed it.
    is_loaded_ = bytes > 0;
    if (is_loaded_) load_deadline_.reset();
    return;
  }
  is_loaded_ = true;
  load_deadline_.reset();
  const std::vector<uint32_t> feeds = CompletedLines(changes, bytes);
  if (!feeds.empty()) LookForPrompts(feeds, now);
}

void RoomAgentSession::LookForPrompts(const std::vector<uint32_t>& feeds, TimePoint now) {
  const std::string text = document_.Text(active_);
  for (const uint32_t feed : feeds) {
    if (feed >= text.size() || text[feed] != '\n') continue;
    const RoomAgentLine line = RoomAgentLineAt(text, feed);
    std::optional<Trigger> trigger = FindTrigger(TextOfLine(text, line), options_.name);
    if (!trigger) continue;
    const std::optional<yjs::Id> at =
        document_.AnchorAt(active_, Unit::kBytes, line.begin + trigger->at);
    if (!at) continue;
    Accept({.path = active_, .at = *at, .prompt = std::move(trigger->prompt)},
           NumberOfLine(text, line));
  }
  StartNext(now);
}

void RoomAgentSession::Accept(Waiting prompt, uint32_t line) {
  const bool waits_already =
      std::any_of(queue_.begin(), queue_.end(), [&prompt](const Waiting& other) {
        return other.path == prompt.path && other.at == prompt.at;
      });
  if (waits_already) return;
  prompt.id = ++last_id_;
  events_.emplace_back(
      PromptTaken{.id = prompt.id, .path = prompt.path, .line = line, .text = prompt.prompt});
  // One that can begin at once does not wait.
  const size_t places = options_.max_queue + (run_ == nullptr ? 1 : 0);
  if (!is_read_only_ && queue_.size() < places) {
    queue_.push_back(std::move(prompt));
    return;
  }
  const std::string_view reason = is_read_only_ ? kReadOnlyReason : kFullReason;
  events_.emplace_back(Skipped{.id = prompt.id, .reason = std::string(reason)});
  ReportRefusal(reason);
}

void RoomAgentSession::SkipWaiting(std::string_view reason) {
  for (const Waiting& prompt : std::exchange(queue_, {})) {
    events_.emplace_back(Skipped{.id = prompt.id, .reason = std::string(reason)});
  }
}

// Once only: somebody might type prompts all day.
void RoomAgentSession::ReportRefusal(std::string_view reason) {
  if (!std::exchange(told_refusal_, true)) Tell(absl::StrCat("skipped: ", ToAbsl(reason)));
}

// --- a run

void RoomAgentSession::StartNext(TimePoint now) {
  while (run_ == nullptr && !is_closed_ && !is_read_only_ && !queue_.empty()) {
    Waiting prompt = std::move(queue_.front());
    queue_.pop_front();
    Start(std::move(prompt), now);
  }
}

// Leaves run_ empty where it comes to nothing.
void RoomAgentSession::Start(Waiting prompt, TimePoint now) {
  const uint64_t id = prompt.id;
  const auto skip = [this, id](std::string_view reason) {
    events_.emplace_back(Skipped{.id = id, .reason = std::string(reason)});
  };
  if (IsDeleted(prompt.path, prompt.at)) return skip("prompt was deleted");
  const uint32_t at = document_.PositionOf(prompt.path, prompt.at, 0)->bytes;
  const std::string text = document_.Text(prompt.path);
  const RoomAgentLine line = RoomAgentLineAt(text, at);
  std::optional<Trigger> trigger = FindTrigger(TextOfLine(text, line), options_.name);
  if (!trigger) return skip("no prompt in the line any more");
  const uint32_t number = NumberOfLine(text, line);
  if (trigger->prompt != prompt.prompt) {
    prompt.prompt = std::move(trigger->prompt);
    events_.emplace_back(
        PromptTaken{.id = id, .path = prompt.path, .line = number, .text = prompt.prompt});
  }
  absl::Status status = LineSnapshot::CheckSize(document_, prompt.path);
  if (status.ok() && options_.new_nonce == nullptr) {
    status = absl::FailedPreconditionError("SessionOptions::new_nonce is not set");
  }
  if (!status.ok()) {
    events_.emplace_back(Failed{.id = id, .status = status});
    return Tell(absl::StrCat("failed: ", ToLower(absl::StatusCodeToString(status.code()))));
  }
  run_ = std::make_unique<Run>(document_, std::move(prompt),
                               LineToolLimits{.max_calls = options_.max_calls});
  run_->line_number = number;
  run_->line = TextOfLine(text, line);
  run_->window = FindPromptWindow(run_->snapshot.text(), line.end);
  run_->deadline = now + options_.timeout;
  ShowCaretAt(run_->prompt.path, line.end);
  AskModel();
}

void RoomAgentSession::AskModel() {
  const std::string nonce = options_.new_nonce();
  const Question question{.mode = options_.mode,
                          .path = run_->prompt.path,
                          .text = run_->snapshot.text(),
                          .window = run_->window,
                          .prompt_line = run_->line_number,
                          .prompt = run_->prompt.prompt,
                          .nonce = nonce};
  events_.emplace_back(Ask{.id = run_->prompt.id,
                           .system = SystemText(options_.mode, run_->dividers.width()),
                           .user = UserText(question),
                           .with_tools = options_.mode == Mode::kTools});
}

void RoomAgentSession::CancelRun(const absl::Status& status) {
  events_.emplace_back(CancelAsk{run_->prompt.id});
  FailRun(status);
}

void RoomAgentSession::FailRun(const absl::Status& status) {
  events_.emplace_back(Failed{.id = run_->prompt.id, .status = status});
  run_.reset();
  told_refusal_ = false;
  if (is_closed_) return;
  Tell(absl::StrCat("failed: ", ToLower(absl::StatusCodeToString(status.code()))));
}

void RoomAgentSession::FinishRun() {
  if (options_.remove_prompt && run_->edits > 0) RemovePrompt();
  events_.emplace_back(Done{.id = run_->prompt.id, .edits = run_->edits, .calls = run_->calls});
  std::string outcome;
  if (run_->edits > 0) outcome = absl::StrCat("done, ", CountOfEdits(run_->edits));
  if (!run_->refusals.empty()) {
    absl::StrAppend(&outcome, outcome.empty() ? "" : "; ",
                    "could not apply: ", absl::StrJoin(run_->refusals, ", "));
  }
  run_.reset();
  told_refusal_ = false;
  Tell(outcome.empty() ? "nothing changed" : outcome);
}

// A line that has become another one, or has code in front of the prompt, stays.
void RoomAgentSession::RemovePrompt() {
  const Waiting& prompt = run_->prompt;
  if (IsDeleted(prompt.path, prompt.at)) return;
  const uint32_t at = document_.PositionOf(prompt.path, prompt.at, 0)->bytes;
  const std::string text = document_.Text(prompt.path);
  RoomAgentLine line = RoomAgentLineAt(text, at);
  if (TextOfLine(text, line) != run_->line ||
      !IsPromptAlone(text.substr(line.begin, at - line.begin))) {
    return;
  }
  if (line.end < text.size()) {
    ++line.end;
  } else if (line.begin > 0) {
    --line.begin;
  }
  absl::StatusOr<std::string> update =
      document_.Splice(prompt.path, Unit::kBytes, line.begin, line.end - line.begin, "");
  if (update.ok() && !update->empty()) events_.emplace_back(SendUpdate{*std::move(update)});
}

// --- what the model does

void RoomAgentSession::OnToolCall(uint64_t id, std::string call_id, std::string_view name,
                                  const nlohmann::json& arguments, TimePoint now) {
  OnDeadline(now);
  ToolAnswer answer{.id = id, .call_id = std::move(call_id), .is_error = true};
  if (run_ == nullptr || run_->prompt.id != id) {
    answer.text = "This run is over: make no more calls.";
    events_.emplace_back(std::move(answer));
    return;
  }
  ++run_->calls;
  if (options_.mode == Mode::kTools) {
    ToolReply reply = run_->tools.Call(name, arguments);
    answer.text = std::move(reply.text);
    answer.is_error = reply.is_error;
    if (reply.edit) NoteEdit(*reply.edit);
  } else {
    answer.text = "There are no tools here: answer with the text of the file.";
  }
  events_.emplace_back(
      ToolCalled{.id = id, .name = Printable(name, kMaxToolNameBytes), .ok = !answer.is_error});
  events_.emplace_back(std::move(answer));
}

void RoomAgentSession::OnAnswered(uint64_t id, const absl::Status& end, std::string text,
                                  TimePoint now) {
  OnDeadline(now);
  if (run_ == nullptr || run_->prompt.id != id) return;
  const bool is_too_long = text.size() > kMaxAnswerBytes;
  if (!end.ok()) {
    FailRun(end);
  } else if (is_too_long && options_.mode == Mode::kRegions) {
    FailRun(absl::ResourceExhaustedError(
        absl::StrCat("an answer of ", text.size(), " bytes, limit ", kMaxAnswerBytes)));
  } else {
    text.resize(Utf8Prefix(text, kMaxAnswerBytes).size());
    if (!IsUtf8(text)) text = ToUtf8(text);
    const std::string answer = absl::StrReplaceAll(text, {{"\r\n", "\n"}});
    const SentLines sent{.first = run_->window.first_line,
                         .last = run_->window.last_line,
                         .whole = run_->window.is_whole(run_->snapshot.text()),
                         .prompt = run_->line_number};
    ParsedRegions parsed;
    if (run_->calls == 0 || options_.mode == Mode::kRegions) {
      parsed = ParseRegions(answer, run_->dividers);
    }
    const std::vector<RegionPlace> places =
        LocateRegions(run_->snapshot.text(), parsed.regions, sent);
    if (options_.mode == Mode::kRegions || (!is_too_long && AreRegionsMeant(places))) {
      TakeRegions(parsed, places);
    } else {
      Say(text);
    }
    FinishRun();
  }
  StartNext(now);
}

void RoomAgentSession::Say(std::string_view words) {
  if (Trim(words).empty()) return;
  events_.emplace_back(Said{.id = run_->prompt.id, .text = std::string(words)});
}

// --- edits

void RoomAgentSession::NoteEdit(const AppliedEdit& edit) {
  ++run_->edits;
  for (const std::string& update : edit.updates) events_.emplace_back(SendUpdate{update});
  events_.emplace_back(Edited{.id = run_->prompt.id,
                              .start_line = edit.start_line,
                              .end_line = edit.end_line,
                              .lines = edit.lines});
  ShowCaretAt(run_->prompt.path, edit.end_byte);
}

void RoomAgentSession::ShowCaretAt(const std::string& path, uint32_t byte) {
  events_.emplace_back(ShowCaret{
      .path = path,
      .position = {.item = document_.AnchorAt(path, Unit::kBytes, byte), .root_name = path}});
}

void RoomAgentSession::TakeRegions(const ParsedRegions& parsed,
                                   const std::vector<RegionPlace>& places) {
  for (const RegionPlace& place : places) {
    if (place.fate == RegionFate::kReplace) {
      ApplyRegion(place);
    } else if (place.fate != RegionFate::kUnchanged) {
      RefuseRegion(ReasonOf(place.fate), place.line);
    }
  }
  if (parsed.has_more) RefuseRegion("too many regions", 0);
}

// Several edits are a new text for the old one: it takes place as a whole or not at all.
void RoomAgentSession::ApplyRegion(const RegionPlace& place) {
  LineSnapshot& snapshot = run_->snapshot;
  if (place.edits.size() > 1 && snapshot.PresentText() != snapshot.text()) {
    return RefuseRegion("changed meanwhile", place.line);
  }
  std::optional<AppliedEdit> whole;
  std::vector<std::string> updates;
  for (const RegionEdit& edit : place.edits) {
    const auto applied =
        edit.count == 0 ? snapshot.InsertBefore(edit.first, edit.lines)
                        : snapshot.Replace(edit.first, edit.first + edit.count - 1, edit.lines);
    if (!applied.ok()) {
      RefuseRegion(ReasonOfEditError(applied.status()), edit.first);
      break;
    }
    if (!*applied) continue;
    updates.insert(updates.end(), (*applied)->updates.begin(), (*applied)->updates.end());
    if (!whole) {
      whole = **applied;
      continue;
    }
    // Its end in the text that the edits before have made, less what they have added.
    const uint32_t added = whole->lines + whole->start_line - whole->end_line - 1;
    whole->lines = (*applied)->start_line + (*applied)->lines - whole->start_line;
    whole->end_line = (*applied)->end_line - added;
    whole->end_byte = (*applied)->end_byte;
  }
  if (!whole) return;
  size_t bytes = 0;
  for (const std::string& update : updates) bytes += update.size();
  if (bytes <= kMaxUpdateTextBytes) updates = {JoinUpdates(updates)};
  whole->updates = std::move(updates);
  NoteEdit(*whole);
}

void RoomAgentSession::RefuseRegion(std::string_view reason, uint32_t line) {
  events_.emplace_back(Skipped{.id = run_->prompt.id, .reason = std::string(reason)});
  run_->refusals.push_back(line == 0 ? std::string(reason)
                                     : absl::StrCat(ToAbsl(reason), " (line ", line, ")"));
}

void RoomAgentSession::Tell(std::string_view outcome) {
  if (!options_.report_to_chat || is_closed_) return;
  const std::string text =
      absl::StrCat(OneLine(Utf8Prefix(options_.name, kMaxReportNameBytes)), ": ", ToAbsl(outcome));
  events_.emplace_back(
      Report{std::string(crdt::PrefixOf(text, Unit::kCodePoints, kMaxReportCharacters))});
}

}  // namespace cursorwire::room_agent
