#include "documents/workspace_context.h"

#include <cursorwire/context/project_layout.h>
#include <cursorwire/context/project_rules.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "common/start_thread.h"

namespace cursor_gateway {
namespace {

namespace context = cursorwire::context;

WorkspaceContext::Facts ReadFolder(const std::string& folder) {
  WorkspaceContext::Facts facts;
  context::ProjectRules rules = context::ReadProjectRules(folder);
  facts.context.rules = std::move(rules.rules);
  for (const absl::Status& failure : rules.failures) {
    facts.failures.emplace_back(failure.message());
  }
  if (auto layout = context::ReadProjectLayout(folder); layout.ok()) {
    facts.context.project_layouts.push_back(std::move(layout->root));
  } else {
    facts.failures.emplace_back(layout.status().message());
  }
  if (auto repository = context::ReadGitHead(folder)) {
    facts.context.git_repositories.push_back(*std::move(repository));
  }
  return facts;
}

// Names of files are a stranger's: as JSON they stay on one line and move no terminal.
std::string LogLine(const std::string& failure) {
  return "workspace: " +
         nlohmann::json(failure).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

WorkspaceContext::WorkspaceContext(EventLoop& loop, std::string folder, Reader reader, Log log)
    : loop_(loop),
      folder_(std::move(folder)),
      reader_(reader ? std::move(reader) : Reader(ReadFolder)),
      log_(std::move(log)),
      self_(std::make_shared<WorkspaceContext*>(this)) {}

WorkspaceContext::~WorkspaceContext() {
  if (thread_.joinable()) thread_.join();
}

void WorkspaceContext::Read(Ready ready) {
  if (folder_.empty()) return ready({});
  const auto waiter = waiters_.insert(waiters_.end(), {std::move(ready), {}});
  waiter->timer = loop_.After(kWorkspaceContextWait, [this, waiter] {
    const Ready late = std::move(waiter->ready);
    waiters_.erase(waiter);
    late({});
  });
  if (reading_) return;
  reading_ = true;
  if (thread_.joinable()) thread_.join();  // it has posted what it read, and ends
  const std::weak_ptr<WorkspaceContext*> self = self_;
  const auto tell = [self, &loop = loop_](Facts facts) {
    loop.Post([self, facts = std::move(facts)] {
      if (const auto alive = self.lock()) (*alive)->OnRead(facts);
    });
  };
  const bool started = cursor_apps::StartThread(
      thread_, [tell, folder = folder_, &reader = reader_] { tell(reader(folder)); });
  if (!started) tell({.failures = {std::string(cursor_apps::NoThreadError().message())}});
}

void WorkspaceContext::OnRead(const Facts& facts) {
  reading_ = false;
  if (log_ && facts.failures != told_) {
    for (const std::string& failure : facts.failures) log_(LogLine(failure));
  }
  told_ = facts.failures;
  // A turn that begins now reads anew.
  std::list<Waiter> waiters = std::move(waiters_);
  waiters_.clear();
  for (Waiter& waiter : waiters) {
    waiter.timer.reset();
    loop_.Call([&] { waiter.ready(facts.context); });
  }
}

}  // namespace cursor_gateway
