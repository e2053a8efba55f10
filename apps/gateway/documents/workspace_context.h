#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_WORKSPACE_CONTEXT_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_WORKSPACE_CONTEXT_H_

#include <cursorwire/context/editor_context.h>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "http/event_loop.h"

namespace cursor_gateway {

// For a folder to be read: a turn goes on without it then.
inline constexpr std::chrono::seconds kWorkspaceContextWait{3};

// Reads what the folder of --workspace tells the agent, anew for each turn: its rules, layout and
// branch. A thread reads, so that the loop does not wait for a large folder or a slow disk; turns
// that come meanwhile share what it reads. On the loop's thread. Its destructor waits for the
// thread.
class WorkspaceContext {
 public:
  using Context = cursorwire::context::EditorContext;
  using Reader = std::function<Context(const std::string& folder)>;
  using Ready = std::function<void(const Context& read)>;

  // `folder`: empty if there is none. `reader` is for tests; by default the files are read. It is
  // called on another thread, one call at a time.
  WorkspaceContext(EventLoop& loop, std::string folder, Reader reader = {});
  ~WorkspaceContext();
  WorkspaceContext(const WorkspaceContext&) = delete;
  WorkspaceContext& operator=(const WorkspaceContext&) = delete;

  // Calls `ready` once: at once if there is no folder, else later, after kWorkspaceContextWait at
  // most. The context is then empty. Not called any more after the destructor.
  void Read(Ready ready);

 private:
  struct Waiter {
    Ready ready;
    EventLoop::Timer timer;
  };

  void OnRead(const Context& read);

  EventLoop& loop_;
  const std::string folder_;
  const Reader reader_;
  std::list<Waiter> waiters_;
  bool reading_ = false;
  std::thread thread_;
  std::shared_ptr<WorkspaceContext*> self_;  // what the thread posts finds this by it, or nothing
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_WORKSPACE_CONTEXT_H_
