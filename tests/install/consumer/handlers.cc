// Derives from the classes that are made for it, and asks what an object is: for that the library
// must show their type information.
#include <cursorwire/client.h>
#include <cursorwire/connect/channel.h>
#include <cursorwire/exec_handler.h>
#include <cursorwire/id_source.h>
#include <cursorwire/workspace.h>

#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace {

class Clock final : public cursorwire::ExecHandler {
 public:
  absl::StatusOr<cursorwire::ReadOutput> Read(const cursorwire::ReadArgs& /*args*/,
                                              const cursorwire::ActionContext&) override {
    return absl::NotFoundError("no files here");
  }
};

class Counter final : public cursorwire::IdSource {
 public:
  std::string Uuid() override { return std::to_string(++count_); }

 private:
  int count_ = 0;
};

class Observer final : public cursorwire::connect::CallObserver {
 public:
  void OnMessage(const cursorwire::connect::MessageView& /*message*/) override {}
  void OnEnd(cursorwire::connect::CallEnd /*end*/) override { ended_.set_value(); }
  void WaitForEnd() { ended_.get_future().wait(); }

 private:
  std::promise<void> ended_;
};

}  // namespace

int main() {
  auto local = cursorwire::LocalExecHandler::Create(".");
  if (!local.ok()) return std::cerr << local.status() << "\n", 1;
  const std::shared_ptr<cursorwire::ExecHandler> files = *std::move(local);
  const std::shared_ptr<cursorwire::ExecHandler> clock = std::make_shared<Clock>();
  const bool told_apart = dynamic_cast<cursorwire::LocalExecHandler*>(files.get()) != nullptr &&
                          dynamic_cast<cursorwire::LocalExecHandler*>(clock.get()) == nullptr;
  const auto write = cursorwire::CallExecHandler(*clock, cursorwire::WriteArgs{}, {});
  const bool refused = write.status().code() == absl::StatusCode::kPermissionDenied;

  // Nothing listens there: the call must end, through the observer.
  auto channel = cursorwire::connect::Channel::Create("http://127.0.0.1:1");
  const auto observer = std::make_shared<Observer>();
  channel->Start({.path = "/some.v1.Service/Method"}, observer);
  observer->WaitForEnd();

  Counter counter;
  cursorwire::IdSource& ids = counter;
  const auto random = cursorwire::RandomIds();
  const bool ids_told_apart =
      dynamic_cast<Counter*>(&ids) != nullptr && dynamic_cast<Counter*>(random.get()) == nullptr;
  return told_apart && refused && ids_told_apart && random->Uuid().size() == 36 ? 0 : 1;
}
