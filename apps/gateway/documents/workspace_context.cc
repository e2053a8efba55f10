#include "documents/workspace_context.h"

#include <cursorwire/context/git_head.h>
#include <cursorwire/context/project_layout.h>
#include <cursorwire/context/project_rules.h>

#include <utility>

namespace cursor_gateway {
namespace {

namespace context = cursorwire::context;

// What cannot be read is not told: the agent sees the same when it looks.
context::EditorContext ReadFolder(const std::string& folder) {
  context::EditorContext read;
  read.rules = context::ReadProjectRules(folder).rules;
  if (auto layout = context::ReadProjectLayout(folder); layout.ok()) {
    read.project_layouts.push_back(std::move(layout->root));
  }
  if (auto repository = context::ReadGitHead(folder)) {
    read.git_repositories.push_back(*std::move(repository));
  }
  return read;
}

}  // namespace

WorkspaceContext::WorkspaceContext(EventLoop& loop, std::string folder, Reader reader)
    : loop_(loop),
      folder_(std::move(folder)),
      reader_(reader ? std::move(reader) : Reader(ReadFolder)),
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
  thread_ = std::thread([self, &loop = loop_, folder = folder_, &reader = reader_] {
    auto read = std::make_shared<Context>(reader(folder));
    loop.Post([self, read] {
      if (const auto alive = self.lock()) (*alive)->OnRead(*read);
    });
  });
}

void WorkspaceContext::OnRead(const Context& read) {
  reading_ = false;
  // A turn that begins now reads anew.
  std::list<Waiter> waiters = std::move(waiters_);
  waiters_.clear();
  for (Waiter& waiter : waiters) {
    waiter.timer.Cancel();
    waiter.ready(read);
  }
}

}  // namespace cursor_gateway
