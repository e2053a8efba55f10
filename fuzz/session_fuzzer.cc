// Reads files of sessions.
//
// Input: byte 0 chooses. Even: the rest is a file, as a stranger may have written it. Odd: the rest
// makes a session, of which one bit is changed: two bytes say where, one says which; then come
// strings, each with its length in one byte: id, rules, state, and for each turn a prompt and an
// answer.
//
// A file is refused or read. What is read is written and read again as the same; and of a session
// that was changed, the history is the same or it is refused.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/history/history_codec.h"
#include "base/strings.h"
#include "client/conversation/session_codec.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::DecodeSession;
using cursorwire::EncodeSession;
using cursorwire::HistoryText;
using cursorwire::SessionContent;
using cursorwire::ToUtf8;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;

void CheckSame(const SessionContent& a, const SessionContent& b) {
  Check(a.snapshot.history == b.snapshot.history);
  Check(a.snapshot.id == b.snapshot.id);
  Check(a.snapshot.rules == b.snapshot.rules);
  Check(a.snapshot.model == b.snapshot.model);
}

void ReadFile(std::string_view bytes) {
  (void)cursorwire::DecodeSessionHead(bytes);
  const absl::StatusOr<SessionContent> content = DecodeSession(bytes);
  if (!content.ok()) return;
  const absl::StatusOr<SessionContent> again = DecodeSession(EncodeSession(*content));
  Check(again.ok());
  CheckSame(*content, *again);
  Check(content->snapshot.state == again->snapshot.state);
  Check(content->snapshot.broken == again->snapshot.broken);
  Check(content->blobs == again->blobs);
}

void ReadChangedFile(FuzzedInput input) {
  const size_t place = input.TakeUint16();
  const uint8_t bit = input.TakeByte() % 8;
  SessionContent content;
  content.snapshot.id = ToUtf8(input.TakeShortString());
  content.snapshot.rules = ToUtf8(input.TakeShortString());
  content.snapshot.state = std::string(input.TakeShortString());
  while (!input.empty()) {
    content.snapshot.history.push_back({.prompt = ToUtf8(input.TakeShortString()),
                                        .items = {HistoryText{ToUtf8(input.TakeShortString())}}});
  }
  content.snapshot.state_fingerprint = cursorwire::agent::FingerprintOf(content.snapshot.history);
  content.blobs = {content.snapshot.state, "blob"};
  std::string bytes = EncodeSession(content);
  const absl::StatusOr<SessionContent> whole = DecodeSession(bytes);
  Check(whole.ok());
  CheckSame(content, *whole);
  Check(content.snapshot.state == whole->snapshot.state && !whole->snapshot.broken);

  bytes[place % bytes.size()] = static_cast<char>(bytes[place % bytes.size()] ^ (1 << bit));
  const absl::StatusOr<SessionContent> changed = DecodeSession(bytes);
  if (!changed.ok()) return;
  CheckSame(content, *changed);
  const bool same_state =
      changed->snapshot.state == content.snapshot.state && !changed->snapshot.broken;
  Check(!same_state || changed->blobs != content.blobs);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  if (input.TakeByte() % 2 == 0) {
    ReadFile(input.TakeRest());
  } else {
    ReadChangedFile(input);
  }
  return 0;
}
