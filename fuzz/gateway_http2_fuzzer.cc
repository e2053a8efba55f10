// Runs the server side of HTTP/2 in cursor-gateway against a client that sends anything, while its
// handler answers in every way.
//
// Input: byte 0 is the size of the pieces received behind the steps (0: one piece); then the number
// of steps and the steps; the rest is what the client sends. A step is an Action in the high half
// of its byte and a number in the low half.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/http2_session.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"
#include "support/http2_frames.h"

namespace {

using cursor_gateway::Http2Session;
using cursor_gateway::HttpAnswer;
using cursor_gateway::HttpExchange;
using cursor_gateway::HttpHandler;
using cursor_gateway::HttpHead;
using cursor_gateway::TimePoint;
using cursor_gateway::Unreadable;
using cursorwire::fuzz::BigEndian;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FrameCounter;
using cursorwire::fuzz::FuzzedInput;

constexpr size_t kMaxTurns = 10'000;  // for loops that must end
// What nghttp2 may keep to send beside DATA, and a frame of each stream.
constexpr size_t kMaxOutputBytes = size_t{4} * 1024 * 1024;

enum Action : uint8_t {
  kReceive,      // 2^number of the client's bytes
  kAnswer,       // this and the next five: on the exchange of that number
  kStartStream,  //
  kWrite,        //
  kEndStream,    //
  kAbort,        //
  kLetGo,        // destroys it
  kDropBody,     //
  kTakeOutput,   // 2^number bytes
  kPass,         // 2^number seconds
  kDrain,        //
  kRequest,      // this and the rest: a well-formed frame of the client
  kData,         //
  kReset,        //
  kCredit,       //
  kRefused,      // a request that the handler refuses by its method
};

// One exchange, and what it was told.
struct Kept {
  std::shared_ptr<HttpExchange> exchange;
  int gone = 0;
  int ended = 0;
  bool started = false;
  bool finished = false;
};

class KeepingHandler final : public HttpHandler {
 public:
  std::optional<HttpAnswer> OnHead(const HttpHead& head) override {
    Check(head.method.size() <= cursor_gateway::kMaxHeadBytes && !head.is_http_1_0);
    Check(head.path.find('?') == std::string::npos);
    if (head.method != "GET") return std::nullopt;
    return HttpAnswer{.status = 403, .body = "refused"};
  }
  HttpAnswer OnUnreadable(Unreadable why) override { return {.status = static_cast<int>(why)}; }
  void OnRequest(std::shared_ptr<HttpExchange> exchange) override {
    Check(exchange->body().size() <= cursor_gateway::kMaxBodyBytes);
    kept.push_back(std::make_unique<Kept>());
    Kept* one = kept.back().get();
    one->exchange = std::move(exchange);
    one->exchange->OnGone([one] {
      Check(!one->finished && ++one->gone == 1);
      one->finished = true;
    });
    one->exchange->OnEnd([one] { Check(++one->ended == 1); });
    one->exchange->OnWritable([one] {
      Check(!one->finished && one->exchange->unsent_bytes() == 0);
      one->exchange->Write("more");
    });
  }

  std::vector<std::unique_ptr<Kept>> kept;
};

class Harness {
 public:
  explicit Harness(std::string_view client_bytes) : client_bytes_(client_bytes) {}

  void Do(uint8_t step) {
    const auto action = static_cast<Action>(step >> 4);
    const uint8_t number = step & 15;
    switch (action) {
      case kReceive:
        return ReceiveClientBytes(size_t{1} << number);
      case kTakeOutput:
        return TakeOutput(size_t{1} << number);
      case kPass:
        now_ += std::chrono::seconds(int64_t{1} << number);
        return session_->OnDeadline();
      case kDrain:
        return session_->Drain();
      case kRequest:
        return Receive(Frame(cursorwire::fuzz::kHeaders, EndHeaders(number & 1), NextId(),
                             cursorwire::fuzz::RequestBlock()));
      case kRefused:
        return Receive(Frame(cursorwire::fuzz::kHeaders, EndHeaders(number & 1), NextId(),
                             "\x82\x86\x84\x01\x01x"));  // GET http://x/
      case kData:
        return Receive(cursorwire::fuzz::DataFrames(last_id_, std::string(size_t{1} << number, 'x'),
                                                    number & 1));
      case kReset:
        return Receive(Frame(cursorwire::fuzz::kRstStream, 0, number | 1, BigEndian(8, 4)));
      case kCredit:
        Receive(Frame(cursorwire::fuzz::kWindowUpdate, 0, number | 1, BigEndian(1 << 15, 4)));
        return Receive(Frame(cursorwire::fuzz::kWindowUpdate, 0, 0, BigEndian(1 << 15, 4)));
      default:
        break;
    }
    if (!handler_.kept.empty()) Answer(action, number);
  }

  void ReceiveRest(size_t piece) {
    while (!client_bytes_.empty()) ReceiveClientBytes(piece == 0 ? client_bytes_.size() : piece);
  }

  // Whatever was sent, the session ends by itself, and no exchange is left without a word.
  void End() {
    TakeAllOutput();
    for (const auto& one : handler_.kept) {
      if (one->finished) continue;
      one->finished = true;
      one->exchange->Answer({.body = "the end"});
    }
    session_->Drain();
    for (size_t turn = 0; !session_->IsOver(); ++turn) {
      Check(turn < 1000);
      TakeAllOutput();
      const std::optional<TimePoint> next = session_->NextDeadline();
      Check(next.has_value() || session_->IsOver());
      if (next) now_ = std::max(now_, *next);
      session_->OnDeadline();
    }
    TakeAllOutput();
    Check(session_->open_streams() == 0 && output_.between_frames());
    session_.reset();
    for (const auto& one : handler_.kept) one->exchange.reset();
    for (const auto& one : handler_.kept) Check(one->ended == 1);
  }

 private:
  static uint8_t EndHeaders(int more) {
    return static_cast<uint8_t>(cursorwire::fuzz::kEndHeadersFlag | more);
  }
  int32_t NextId() { return last_id_ += 2; }

  void Answer(Action action, uint8_t number) {
    Kept& one = *handler_.kept[number % handler_.kept.size()];
    if (one.exchange == nullptr) return;
    switch (action) {
      case kAnswer:
        if (one.started) return;
        one.finished = true;
        return one.exchange->Answer({.body = std::string(size_t{1} << number, 'a')});
      case kStartStream:
        if (std::exchange(one.started, true)) return;
        return one.exchange->StartStream(200, {{"Content-Type", "text/event-stream"}});
      case kWrite:
        if (one.started) one.exchange->Write(std::string(size_t{1} << number, 'w'));
        return;
      case kEndStream:
        if (!one.started) return;
        one.finished = true;
        return one.exchange->EndStream();
      case kAbort:
        one.finished = true;
        return one.exchange->Abort();
      case kDropBody:
        return one.exchange->DropBody();
      default:
        one.finished = true;
        one.exchange->OnWritable(nullptr);
        one.exchange.reset();
    }
  }

  void ReceiveClientBytes(size_t size) {
    const std::string_view piece = client_bytes_.substr(0, size);
    client_bytes_.remove_prefix(piece.size());
    Receive(std::string(piece));  // a temporary: the session must keep no view of it
  }

  void Receive(const std::string& bytes) { session_->Receive(bytes); }

  void TakeOutput(size_t max_bytes) {
    std::string bytes;
    session_->TakeOutput(max_bytes, bytes);
    Check(bytes.size() <= max_bytes + 2 * cursorwire::fuzz::kMaxFrameBytes);
    output_.Feed(bytes);
    taken_ = bytes.size();
  }

  void TakeAllOutput() {
    size_t all = 0;
    for (size_t turn = 0; turn == 0 || taken_ > 0; ++turn) {
      Check(turn < kMaxTurns);
      TakeOutput(cursorwire::fuzz::kMaxFrameBytes);
      all += taken_;
    }
    Check(all <= kMaxOutputBytes);
  }

  static std::string Frame(cursorwire::fuzz::FrameType type, uint8_t flags, int32_t id,
                           std::string_view payload) {
    return cursorwire::fuzz::Frame(type, flags, id, payload);
  }

  std::string_view client_bytes_;
  TimePoint now_ = TimePoint(std::chrono::hours(1));
  KeepingHandler handler_;
  FrameCounter output_{"", FrameCounter::Strict::kYes};
  size_t taken_ = 0;
  int32_t last_id_ = -1;
  std::unique_ptr<Http2Session> session_ = std::make_unique<Http2Session>(
      handler_, cursor_gateway::BodyBudget(cursor_gateway::kMaxAllBodiesBytes),
      [this] { return now_; }, [] {});
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const uint8_t piece = input.TakeByte();
  FuzzedInput steps(input.TakeShortString());
  Harness harness(input.TakeRest());
  while (!steps.empty()) harness.Do(steps.TakeByte());
  harness.ReceiveRest(piece);
  harness.End();
  return 0;
}
