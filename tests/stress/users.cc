#include "stress/users.h"

#include <chrono>
#include <coroutine>
#include <exception>
#include <thread>
#include <utility>

#include "cursorwire/connect/coroutine.h"
#include "stress/raw_peer.h"

namespace cursorwire::test {
namespace {

using connect::Call;
using connect::CallEnd;
using connect::CallKind;
using connect::CallObserver;
using connect::CallOptions;
using connect::CallRequest;
using connect::Channel;
using connect::MessageView;
using connect::Stream;
using connect::TimePoint;
using namespace std::chrono_literals;

// Milliseconds.
constexpr uint32_t kTimeout = 60;
constexpr uint32_t kLongTimeout = 400;
constexpr size_t kUploadBytes = 700'000;
constexpr std::string_view kPaths[] = {"/stream", "/unary", "/other"};

// What is sure to end a call, if its server does not.
enum class Ends { kByTimeout, kOtherwise };

CallOptions RandomOptions(Dice& dice, Ends ends = Ends::kByTimeout) {
  CallOptions options;
  if (ends == Ends::kByTimeout || dice.OneIn(3)) {
    options.timeout = dice.Milliseconds(dice.OneIn(4) ? kLongTimeout : kTimeout);
  }
  if (dice.OneIn(6)) options.idle_timeout = dice.Milliseconds(50);
  if (dice.OneIn(6)) options.wait_for_ready = connect::WaitForReady::kYes;
  if (dice.OneIn(6)) options.auto_replay = connect::AutoReplay::kNo;
  return options;
}

std::string RandomPath(Dice& dice) { return std::string(kPaths[dice.Below(3)]); }

CallRequest RandomRequest(Dice& dice, CallKind kind, Ends ends) {
  CallRequest request{.path = RandomPath(dice), .kind = kind, .options = RandomOptions(dice, ends)};
  if (dice.OneIn(64)) request.message_at_deadline = "farewell";
  return request;
}

// Does with its call whatever an observer may do, and hears of its end once and last.
class AnyObserver final : public CallObserver {
 public:
  // `channel` may be null; else this keeps it, so that it may be destroyed in a callback.
  AnyObserver(Account& account, std::shared_ptr<Channel> channel, uint32_t seed)
      : account_(account), channel_(std::move(channel)), dice_(seed), any_(dice_.OneIn(2)) {}
  ~AnyObserver() override {
    if (ends_ != 1)
      account_.Fault("an observer was let go after " + std::to_string(ends_) + " ends");
  }

  connect::CallbackThread callback_thread() const override {
    return any_ ? connect::CallbackThread::kAny : connect::CallbackThread::kChannel;
  }
  void OnStart(const Call& call) override {
    call_ = call;
    Act();
  }
  void OnHead(connect::ResponseHead) override { Act(); }
  void OnMessage(const MessageView& message) override {
    held_ += message.credit;
    if (!dice_.OneIn(3)) Release();
    Act();
  }
  void OnBatchEnd() override {
    if (dice_.OneIn(4)) Release();
  }
  void OnWritable() override { Act(); }
  void OnAlarm(TimePoint) override { Act(); }
  void OnWake(TimePoint) override {
    Release();
    Act();
  }
  void OnEnd(CallEnd) override {
    if (++ends_ != 1) account_.Fault("an observer hears of a second end");
    call_ = Call();
    channel_.reset();
  }

 private:
  void Release() { call_.ReleaseCredit(std::exchange(held_, 0)); }

  void Act() {
    if (ends_ != 0) account_.Fault("an observer hears something after the end");
    switch (dice_.Below(24)) {
      case 0:
        return call_.Cancel();
      case 1:
        Release();
        return call_.Cancel();
      case 2:
        return call_.SetAlarm(std::chrono::steady_clock::now() + dice_.Milliseconds(5));
      case 3:
        return call_.Wake();
      case 4:
        return call_.CloseSend();
      case 5:
        (void)call_.Send(std::string(dice_.Below(5000), 'q'));
        return;
      case 6:
        return channel_.reset();
      default:
        return;
    }
  }

  Account& account_;
  std::shared_ptr<Channel> channel_;
  Dice dice_;
  const bool any_;
  Call call_;
  size_t held_ = 0;
  int ends_ = 0;
};

class DeafObserver final : public connect::ConnectionObserver {
 public:
  void OnDown(const connect::ConnectionDown&) override {}
};

// A coroutine that nobody waits for.
struct Detached {
  struct promise_type {
    Detached get_return_object() const { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const {}
    void unhandled_exception() const { std::terminate(); }
  };
};

Detached Talk(Account& account, connect::AsyncStream stream, bool reads_all) {
  account.BeginCoroutine();
  (void)co_await stream.Send("q");
  stream.CloseSend();
  while (const auto message = co_await stream.Next()) {
    if (!message->ok()) break;
    account.TakeMessage(**message, "AsyncStream");
    if (!reads_all) break;
  }
  account.EndCoroutine();
}

Detached Ask(Account& account, connect::AsyncUnaryCall call) {
  account.BeginCoroutine();
  (void)co_await call;
  account.EndCoroutine();
}

}  // namespace

void Users::MakeCalls(std::shared_ptr<Channel> channel, int number, int calls, uint32_t seed) {
  const std::string user = "user " + std::to_string(number) + ": ";
  Dice dice(seed);
  for (int i = 0; i < calls; ++i) MakeOne(channel, user, dice);
  const Watchdog::Doing doing(watchdog_, user + "gives the channel up");
  channel.reset();
}

void Users::MakeOne(const std::shared_ptr<Channel>& channel, const std::string& user, Dice& dice) {
  using Way = void (Users::*)(const Channel&, Dice&);
  constexpr std::pair<const char*, Way> kWays[] = {
      {"Unary", &Users::Unary},
      {"Stream, read to its end", &Users::Read},
      {"Stream, destroyed in its middle", &Users::ReadSome},
      {"Stream, cancelled from beside", &Users::ReadAndCancel},
      {"Stream, with large messages to the server", &Users::Upload},
      {"Stream, left for later", &Users::Leave},
      {"observer on a pin", &Users::ObserveOnPin},
      {"coroutine", &Users::StartCoroutine},
  };
  const uint32_t way = dice.Below(static_cast<uint32_t>(std::size(kWays)) + 1);
  if (way == std::size(kWays)) {
    const Watchdog::Doing doing(watchdog_, user + "observer");
    return Observe(channel, dice);
  }
  const Watchdog::Doing doing(watchdog_, user + kWays[way].first);
  (this->*kWays[way].second)(*channel, dice);
}

void Users::ReadToEnd(Stream& stream, std::string_view what) {
  bool failed = false;
  while (const auto message = stream.Next()) {
    if (failed) account_.Fault(std::string(what) + ": something comes after the error");
    failed = !message->ok();
    if (!failed) account_.TakeMessage(**message, what);
  }
  if (stream.Next()) account_.Fault(std::string(what) + ": something comes after the end");
}

void Users::Unary(const Channel& channel, Dice& dice) {
  const auto answer = channel.Unary("/unary", "question", RandomOptions(dice));
  if (answer.ok() && answer->message != RawPeer::kUnaryAnswer) {
    account_.Fault("Unary: an answer that nobody sent");
  }
}

void Users::Read(const Channel& channel, Dice& dice) {
  Stream stream = channel.OpenStream("/stream", RandomOptions(dice));
  (void)stream.Send("q");
  if (dice.OneIn(2)) stream.CloseSend();
  if (dice.OneIn(4)) (void)stream.WaitForHead();
  ReadToEnd(stream, "Stream");
}

void Users::ReadSome(const Channel& channel, Dice& dice) {
  Stream stream = channel.OpenStream("/stream", RandomOptions(dice));
  stream.CloseSend();
  for (uint32_t i = dice.Below(4); i > 0; --i) {
    const auto message = stream.Next();
    if (!message || !message->ok()) break;
    account_.TakeMessage(**message, "Stream");
  }
}

void Users::ReadAndCancel(const Channel& channel, Dice& dice) {
  Stream stream = channel.OpenStream("/stream", RandomOptions(dice, Ends::kOtherwise));
  std::thread other([&stream, seed = dice.Seed()] {
    Dice own(seed);
    own.Dawdle(2000);
    stream.Cancel();
  });
  ReadToEnd(stream, "cancelled Stream");
  other.join();
}

void Users::Upload(const Channel& channel, Dice& dice) {
  Stream stream = channel.OpenStream("/upload", RandomOptions(dice));
  for (int i = 0; i < 4; ++i) {
    if (!stream.Send(std::string(kUploadBytes, 'u')).ok()) break;
  }
  stream.CloseSend();
  ReadToEnd(stream, "Stream of an upload");
}

void Users::Leave(const Channel& channel, Dice& dice) {
  Stream stream = channel.OpenStream("/stream", RandomOptions(dice, Ends::kOtherwise));
  if (dice.OneIn(2)) stream.CloseSend();
  const std::lock_guard lock(mutex_);
  left_.push_back(std::move(stream));
}

void Users::Observe(const std::shared_ptr<Channel>& channel, Dice& dice) {
  // The channel lives as long as an observer that keeps it.
  const bool keeps = dice.OneIn(3);
  const auto observer =
      std::make_shared<AnyObserver>(account_, keeps ? channel : nullptr, dice.Seed());
  constexpr CallKind kKinds[] = {CallKind::kRaw, CallKind::kUnary, CallKind::kStreaming,
                                 CallKind::kStreaming};
  const CallKind kind = kKinds[dice.Below(std::size(kKinds))];
  const Ends ends = keeps ? Ends::kByTimeout : Ends::kOtherwise;
  const Call call = channel->Start(RandomRequest(dice, kind, ends), observer);
  (void)call.Send("hi");
  if (dice.OneIn(4)) call.Wake();
  if (dice.OneIn(8)) return call.Cancel();
  const std::lock_guard lock(mutex_);
  observed_.push_back(call);
}

void Users::ObserveOnPin(const Channel& channel, Dice& dice) {
  const connect::ConnectionPin pin = channel.Pin(std::make_shared<DeafObserver>());
  for (uint32_t i = dice.Below(3); i > 0; --i) {
    const auto observer = std::make_shared<AnyObserver>(account_, nullptr, dice.Seed());
    (void)pin.Start(RandomRequest(dice, CallKind::kStreaming, Ends::kByTimeout), observer);
  }
}

void Users::StartCoroutine(const Channel& channel, Dice& dice) {
  if (dice.OneIn(3)) {
    Ask(account_, connect::AsyncUnary(channel, "/unary", "q", RandomOptions(dice)));
  } else {
    Talk(account_, connect::OpenAsyncStream(channel, "/stream", RandomOptions(dice)),
         !dice.OneIn(3));
  }
}

void Users::CancelAll() {
  const Watchdog::Doing doing(watchdog_, "cancels what is left");
  const std::lock_guard lock(mutex_);
  for (const Call& call : observed_) call.Cancel();
  for (Stream& stream : left_) stream.Cancel();
}

void Users::ReadLeftStreams() {
  const std::lock_guard lock(mutex_);
  for (Stream& stream : left_) {
    const Watchdog::Doing doing(watchdog_, "reads a stream that was left");
    ReadToEnd(stream, "left Stream");
  }
  left_.clear();
}

}  // namespace cursorwire::test
