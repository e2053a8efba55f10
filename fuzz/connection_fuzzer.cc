// Runs a Connection without TLS against a server that sends anything. Its host calls every function
// of the interface, with simulated time.
//
// Input: byte 0 holds options, see OptionsOf() and Harness; byte 1 is the size of the pieces
// received after the steps (0: one piece); then the number of steps and the steps; the rest is what
// the server sends. A step is an Action in the high half of its byte and a number in the low half.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/connect/connection.h"
#include "cursorwire/connect/error_info.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"
#include "support/http2_frames.h"
#include "wire/envelope.h"

namespace {

using cursorwire::connect::CallEnd;
using cursorwire::connect::CallId;
using cursorwire::connect::CallKind;
using cursorwire::connect::CallOptions;
using cursorwire::connect::CallRequest;
using cursorwire::connect::Connection;
using cursorwire::connect::ConnectionDown;
using cursorwire::connect::ConnectionEvent;
using cursorwire::connect::ConnectionOptions;
using cursorwire::connect::ConnectionUp;
using cursorwire::connect::CreditReturn;
using cursorwire::connect::MessageView;
using cursorwire::connect::ResponseHead;
using cursorwire::connect::TimePoint;
using cursorwire::connect::Writable;
using cursorwire::fuzz::BigEndian;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::DataFrames;
using cursorwire::fuzz::Frame;
using cursorwire::fuzz::FrameCounter;
using cursorwire::fuzz::FuzzedInput;
using cursorwire::wire::kEnvelopePrefixBytes;

constexpr uint32_t kWindows[] = {1, 100, cursorwire::fuzz::kInitialWindow, 1 << 20};
constexpr size_t kMaxCalls = 16;
constexpr size_t kMaxReceiveBytes = 20'000;
constexpr size_t kMaxTurns = 100'000;  // for loops that must end; no input can cause nearly as many

enum Action : uint8_t {
  kReceive,   // 2^number of the server's bytes
  kStart,     // the number chooses the kind and the timeouts
  kSend,      // 2^number bytes on the newest call
  kSendSome,  // on the call of that number, like the next three
  kCloseSend,
  kCancel,
  kRelease,
  kAdvance,        // moves the clock by 2^number ms
  kTakeOutput,     // 2^number bytes
  kPoll,           // at most that many events
  kServerHead,     // this and the rest: well-formed frames of the server
  kServerMessage,  // of 2^number bytes on the newest call
  kServerEnd,
  kServerControl,
  kServerReset,
  kEndOrDrain,  // 0: ends the connection
};

// Bits 0 and 1 of byte 0 are the window, bit 2 the return of credit, bit 3 the connect timeout.
ConnectionOptions OptionsOf(uint8_t byte) {
  return {.authority = "localhost:1",
          .security = cursorwire::connect::Security::kPlaintext,
          .credit_return = (byte & 4) == 0 ? CreditReturn::kOnPoll : CreditReturn::kManual,
          .http2 = {.connect_timeout = std::chrono::milliseconds((byte & 8) == 0 ? 0 : 1000),
                    .user_agent = "fuzz",
                    .stream_window_bytes = kWindows[byte & 3],
                    .unused_timeout = {}}};
}

// One call, as seen by its user.
struct Call {
  CallKind kind = CallKind::kStreaming;
  int32_t stream_id = 0;  // the id that it gets if it is opened
  bool head = false;
  size_t messages = 0;
  size_t unreleased = 0;
  size_t sent = 0;       // in wire form
  size_t crossings = 0;  // of the high-water mark, at most
  size_t writables = 0;
  bool ended = false;
};

class Harness {
 public:
  // With bit 4 of byte 0, the host pulls events and output only in some steps; bits 5 and 6 choose
  // how the connection ends.
  Harness(uint8_t options, std::string_view server_bytes)
      : options_(OptionsOf(options)),
        lazy_((options & 16) != 0),
        end_(options >> 5 & 3),
        server_bytes_(server_bytes),
        output_(cursorwire::fuzz::kClientMagic, FrameCounter::Strict::kYes),
        input_("", FrameCounter::Strict::kNo),
        connection_(options_, now_) {}

  void Do(uint8_t step) {
    DoAction(static_cast<Action>(step >> 4), step & 15);
    if (!lazy_) Drain();
  }

  void ReceiveRest(size_t piece) {
    while (!server_bytes_.empty()) {
      ReceiveServerBytes(piece == 0 ? server_bytes_.size() : piece);
      if (!lazy_) Drain();
    }
  }

  void End() {
    DrainAndRelease();
    for (const auto& [id, call] : calls_) CheckCredit(call);
    EndConnection();
    DrainAndRelease();
    Check(downs_ == 1 && !connection_.is_up() && !connection_.accepts_calls());
    Start(0);
    Drain();
    for (const auto& [id, call] : calls_) {
      Check(call.ended && connection_.unsent_bytes(id) == 0);
      Check(connection_.Send(id, "late").code() == absl::StatusCode::kFailedPrecondition);
    }
    Check(connection_.active_calls() == 0);
    Check(!connection_.NextDeadline().has_value());
    Check(output_.between_frames());
  }

 private:
  void DoAction(Action action, uint8_t number) {
    const size_t size = size_t{1} << number;
    switch (action) {
      case kReceive:
        return ReceiveServerBytes(size);
      case kStart:
        return calls_.size() < kMaxCalls ? Start(number) : void();
      case kAdvance:
        return Advance(std::chrono::milliseconds(size));
      case kTakeOutput:
        return TakeOutput(size);
      case kPoll:
        return Poll(number);
      case kServerControl:
        return ReceiveControlFrame(number);
      case kEndOrDrain:
        return number == 0 ? EndConnection() : Drain();
      default:
        break;
    }
    if (calls_.empty()) return;
    // If the number is a size, it cannot choose the call as well.
    auto& [id, call] = action == kSend || action == kServerMessage
                           ? *calls_.rbegin()
                           : *std::next(calls_.begin(), number % static_cast<int>(calls_.size()));
    DoOnCall(action, number, id, call);
  }

  void DoOnCall(Action action, uint8_t number, CallId id, Call& call) {
    const size_t size = size_t{1} << number;
    switch (action) {
      case kSend:
        return Send(id, call, size);
      case kSendSome:
        return Send(id, call, 100);
      case kCloseSend:
        return connection_.CloseSend(id);
      case kCancel:
        return connection_.Cancel(id);
      case kRelease:
        return Release(id, call);
      case kServerHead:
        return Receive(Frame(cursorwire::fuzz::kHeaders, cursorwire::fuzz::kEndHeadersFlag,
                             call.stream_id, HeadOf(call.kind, number)));
      case kServerMessage:
        return Receive(DataFrames(call.stream_id, BodyOf(call.kind, size), 0));
      case kServerEnd:
        return Receive(
            DataFrames(call.stream_id, EndOf(call.kind), cursorwire::fuzz::kEndStreamFlag));
      default:
        return Receive(
            Frame(cursorwire::fuzz::kRstStream, 0, call.stream_id, BigEndian(number, 4)));
    }
  }

  void Start(uint8_t number) {
    constexpr CallKind kKinds[] = {CallKind::kStreaming, CallKind::kUnary, CallKind::kRaw};
    CallOptions options;
    options.timeout = std::chrono::milliseconds(number < 8 ? 0 : 5000);
    options.idle_timeout = std::chrono::milliseconds(number % 2 == 0 ? 0 : 700);
    options.max_receive_bytes = kMaxReceiveBytes;
    const CallKind kind = kKinds[number % std::size(kKinds)];
    const CallId id =
        connection_.StartCall({.path = "/a.v1.S/M", .kind = kind, .options = options}, now_);
    const bool first = calls_.emplace(id, Call{.kind = kind}).second;
    Check(first && id != 0);
    calls_[id].stream_id = static_cast<int32_t>(2 * calls_.size() - 1);
  }

  void Send(CallId id, Call& call, size_t size) {
    const absl::Status status = connection_.Send(id, std::string(size, 's'));
    Check(status.ok() || status.code() == absl::StatusCode::kFailedPrecondition);
    if (!status.ok()) return;
    Check(!call.ended);
    call.sent += size + (call.kind == CallKind::kStreaming ? kEnvelopePrefixBytes : 0);
    if (connection_.unsent_bytes(id) > cursorwire::connect::kSendHighWater) ++call.crossings;
  }

  void Release(CallId id, Call& call) {
    if (options_.credit_return == CreditReturn::kOnPoll) return;
    connection_.ReleaseCredit(id, std::exchange(call.unreleased, 0));
  }

  void Advance(std::chrono::milliseconds time) {
    now_ += time;
    connection_.OnDeadline(now_);
    const auto next = connection_.NextDeadline();
    Check(!next || *next > now_);  // or the host would never sleep
  }

  void EndConnection() {
    switch (end_) {
      case 0:
        return connection_.ReceiveEof(now_);
      case 1:
        return connection_.Fail(absl::UnavailableError("no network"), now_);
      case 2:
        return connection_.Close();
      default:
        Receive("not HTTP/2 at all, whatever came before");
        return connection_.ReceiveEof(now_);
    }
  }

  static std::string HeadOf(CallKind kind, uint8_t number) {
    if (number >= 8) return cursorwire::fuzz::NotFoundBlock();
    return cursorwire::fuzz::ResponseBlock(
        kind == CallKind::kStreaming ? "application/connect+proto" : "application/proto");
  }
  static std::string BodyOf(CallKind kind, size_t size) {
    const std::string payload(size, 'm');
    return kind == CallKind::kStreaming ? Envelope(0, payload) : payload;
  }
  static std::string EndOf(CallKind kind) {
    return kind == CallKind::kStreaming ? Envelope(cursorwire::wire::kEnvelopeEndStream, "{}") : "";
  }
  static std::string Envelope(uint8_t flags, std::string_view payload) {
    std::string bytes;
    Check(cursorwire::wire::AppendEnvelope(flags, payload, bytes).ok());
    return bytes;
  }

  void ReceiveControlFrame(uint8_t number) {
    if (number % 4 == 0) return Receive(Frame(cursorwire::fuzz::kSettings, 0, 0, ""));
    if (number % 4 == 1) return Receive(Frame(cursorwire::fuzz::kSettings, 1, 0, ""));
    const int32_t stream_id = number % 4 == 2 ? 0 : number / 4 * 2 + 1;
    Receive(Frame(cursorwire::fuzz::kWindowUpdate, 0, stream_id, BigEndian(1 << 18, 4)));
  }

  void ReceiveServerBytes(size_t size) {
    const std::string_view piece = server_bytes_.substr(0, size);
    server_bytes_.remove_prefix(piece.size());
    Receive(std::string(piece));  // a temporary: the connection must keep no view of it
  }

  void Receive(const std::string& bytes) {
    input_.Feed(bytes);
    connection_.Receive(bytes, now_);
  }

  // False if there is no output.
  bool TakeSomeOutput(size_t max_bytes) {
    const std::string_view bytes = connection_.PendingOutput().substr(0, max_bytes);
    if (bytes.empty()) return false;
    output_.Feed(bytes);
    connection_.ConsumeOutput(bytes.size());
    for (const auto& [id, call] : calls_) Check(connection_.unsent_bytes(id) <= call.sent);
    return true;
  }
  void TakeOutput(size_t max_bytes) { TakeSomeOutput(max_bytes); }

  void Poll(size_t count) {
    while (count-- > 0) {
      const auto event = connection_.PollEvent();
      if (!event) return;
      On(*event);
    }
  }

  void Drain() {
    for (size_t turn = 0;; ++turn) {
      Check(turn < kMaxTurns);
      if (TakeSomeOutput(cursorwire::fuzz::kMaxFrameBytes)) continue;
      const auto event = connection_.PollEvent();
      if (!event) return;
      On(*event);
    }
  }

  // Acts like a user who is done with each message, so that a paused call goes on.
  void DrainAndRelease() {
    const auto holds = [](const auto& entry) { return entry.second.unreleased > 0; };
    for (Drain(); std::any_of(calls_.begin(), calls_.end(), holds); Drain()) {
      for (auto& [id, call] : calls_) Release(id, call);
    }
  }

  void On(const ConnectionEvent& event) {
    if (event.call == 0) return OnConnection(event);
    const auto entry = calls_.find(event.call);
    Check(entry != calls_.end());
    Call& call = entry->second;
    Check(!call.ended);
    if (std::holds_alternative<ResponseHead>(event.what)) {
      Check(!std::exchange(call.head, true) && call.messages == 0);
    } else if (const auto* message = std::get_if<MessageView>(&event.what)) {
      OnMessage(*message, call);
    } else if (std::holds_alternative<Writable>(event.what)) {
      Check(++call.writables <= call.crossings);
    } else {
      OnEnd(std::get<CallEnd>(event.what), call);
    }
  }

  void OnConnection(const ConnectionEvent& event) {
    Check(downs_ == 0);
    if (std::holds_alternative<ConnectionUp>(event.what)) Check(++ups_ == 1);
    if (std::holds_alternative<ConnectionDown>(event.what)) ++downs_;
  }

  void OnMessage(const MessageView& message, Call& call) {
    Check(call.head);
    ++call.messages;
    last_message_ = message.bytes;  // copied, so all of it must be readable
    Check(call.kind == CallKind::kRaw || message.bytes.size() <= kMaxReceiveBytes);
    if (options_.credit_return == CreditReturn::kOnPoll) Check(message.credit == 0);
    call.unreleased += message.credit;
    Check(call.unreleased <= window() + kMaxReceiveBytes + kEnvelopePrefixBytes);
  }

  void OnEnd(const CallEnd& end, Call& call) {
    call.ended = true;
    if (call.kind == CallKind::kUnary) Check(call.messages == (end.status.ok() ? 1 : 0));
    if (end.status.ok()) Check(call.head);
    Check(end.status.ok() || end_ == 1 ||
          cursorwire::connect::GetErrorInfo(end.status).has_value());
  }

  // The peer may use the initial window until it has acknowledged ours.
  size_t window() const {
    return std::max(options_.http2.stream_window_bytes, cursorwire::fuzz::kInitialWindow);
  }

  // For a call that waits for the server, everything received is done with. Its credit must have
  // gone back, except for an amount that is not worth a frame.
  void CheckCredit(const Call& call) {
    if (call.ended || downs_ > 0) return;
    const size_t received = input_.stream(call.stream_id).data_bytes;
    Check(received <= output_.stream(call.stream_id).credited_bytes + window() / 2 + 1);
  }

  const ConnectionOptions options_;
  const bool lazy_;
  const int end_;
  std::string_view server_bytes_;
  TimePoint now_ = TimePoint() + std::chrono::hours(1);
  FrameCounter output_;
  FrameCounter input_;
  std::map<CallId, Call> calls_;
  std::string last_message_;
  int ups_ = 0;
  int downs_ = 0;
  Connection connection_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const uint8_t options = input.TakeByte();
  const uint8_t piece = input.TakeByte();
  FuzzedInput steps(input.TakeShortString());
  Harness harness(options, input.TakeRest());
  while (!steps.empty()) harness.Do(steps.TakeByte());
  harness.ReceiveRest(piece);
  harness.End();
  return 0;
}
