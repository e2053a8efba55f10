// Gives the frames of strangers to a RelaySession, between what its user does.
//
// Input: byte 0 of each step says what happens, the next byte how many times 100 ms pass before.
// What it is, and what follows, is told by User::Step().

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "base/strings.h"
#include "collab/awareness/relay_session.h"
#include "collab/presence/shown_text.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::collab::RelaySelection;
using cursorwire::collab::RelaySession;
using cursorwire::collab::RelayUser;
using cursorwire::collab::RelayUserChanged;
using cursorwire::collab::RelayUserGone;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;

constexpr std::chrono::milliseconds kTick{100};
constexpr int kMaxSteps = 100;

class User {
 public:
  void Step(FuzzedInput& input) {
    const uint8_t kind = input.TakeByte();
    Wait(now_ + kTick * input.TakeByte());
    switch (kind % 8) {
      case 0:
        session_.OnText(input.Take(input.TakeUint16()), now_);
        break;
      case 1:  // a state whose values are the input
        session_.OnText(FrameOf(input.TakeShortString(), input.TakeShortString()), now_);
        break;
      case 2:
        connected_ = true;
        session_.OnConnected(now_);
        break;
      case 3:
        connected_ = false;
        session_.OnClosed();
        Check(!session_.TakeMessage());
        break;
      case 4:
        Open(input.TakeShortString());
        break;
      case 5:
        session_.SetUser(input.TakeShortString(), input.TakeShortString(), now_);
        break;
      case 6:
        session_.SetSelection(RelaySelection{.anchor = input.TakeByte()}, now_);
        session_.OnEdited(now_);
        break;
      default:
        if (kind == 0xff && !crowded_) Crowd();
        break;
    }
    TakeAll();
  }

  // All are forgotten in the end.
  void End() {
    session_.OnClosed();
    Wait(now_ + RelaySession::kForgetAfter);
    Check(users_.empty());
    Check(!session_.deadline());
  }

 private:
  static std::string FrameOf(std::string_view id, std::string_view state) {
    const std::string text = cursorwire::ToUtf8(id);
    return R"({"type":"awareness","documentId":"doc","clientID":)" + nlohmann::json(text).dump() +
           R"(,"state":)" + std::string(state) + "}";
  }

  // Short ids are the document of FrameOf(), and the empty one closes.
  void Open(std::string_view id) {
    std::optional<std::string> document(id.size() < 4 ? "doc" : id);
    if (id.empty()) document.reset();
    if (document != document_) users_.clear();
    document_ = document;
    session_.SetDocument(document, now_);
  }

  void Crowd() {
    crowded_ = true;
    for (size_t i = 0; i < RelaySession::kMaxUsers + 10; ++i) {
      session_.OnText(FrameOf(std::to_string(i), "{}"), now_);
    }
  }

  void Wait(RelaySession::TimePoint end) {
    for (auto due = session_.deadline(); due && *due <= end; due = session_.deadline()) {
      Check(*due > now_);
      now_ = *due;
      session_.OnDeadline(now_);
      TakeAll();
    }
    now_ = end;
  }

  void TakeAll() {
    while (const auto message = session_.TakeMessage()) {
      Check(connected_);
      Check(message->size() <= RelaySession::kMaxFrameBytes);
      Check(nlohmann::json::parse(*message, nullptr, false).is_object());
    }
    while (const auto event = session_.TakeEvent()) {
      if (const auto* const gone = std::get_if<RelayUserGone>(&*event)) {
        Check(users_.erase(gone->id) == 1);
      } else {
        Note(std::get<RelayUserChanged>(*event).user);
      }
    }
  }

  void Note(const RelayUser& user) {
    Check(document_.has_value());
    Check(!user.id.empty() && user.id != "me" && !user.name.empty());
    for (const std::string& text : {user.id, user.name, user.color}) {
      Check(cursorwire::collab::ShownText(text) == text);
    }
    Check(cursorwire::collab::IsColor(user.color));
    Check(user.anchor || !user.head);
    users_.insert(user.id);
    Check(users_.size() <= RelaySession::kMaxUsers);
  }

  RelaySession session_{"me", "Me", "#4ECDC4"};
  RelaySession::TimePoint now_{std::chrono::hours(1)};
  bool connected_ = false;
  bool crowded_ = false;  // takes long: once, and rarely
  std::optional<std::string> document_;
  std::set<std::string> users_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  User user;
  for (int step = 0; step < kMaxSteps && !input.empty(); ++step) user.Step(input);
  user.End();
  return 0;
}
