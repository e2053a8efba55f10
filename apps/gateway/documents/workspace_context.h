#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_WORKSPACE_CONTEXT_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_WORKSPACE_CONTEXT_H_

#include <cursorwire/context/editor_context.h>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

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
  struct Facts {
    Context context{};
    std::vector<std::string> failures{};  // what is left out, each in one sentence
  };
  using Reader = std::function<Facts(const std::string& folder)>;
  using Log = std::function<void(const std::string& line)>;
  using Ready = std::function<void(const Context& read)>;

  // `folder`: empty if there is none. `reader` is for tests; by default the files are read. It is
  // called on another thread, one call at a time. `log` gets a line for each failure when these
  // are others than the last time; it may be empty.
  WorkspaceContext(EventLoop& loop, std::string folder, Reader reader, Log log);
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

  void OnRead(const Facts& facts);

  EventLoop& loop_;
  const std::string folder_;
  const Reader reader_;
  const Log log_;
  std::vector<std::string> told_;  // the failures of the last time
  std::list<Waiter> waiters_;
  bool reading_ = false;
  std::thread thread_;
  std::shared_ptr<WorkspaceContext*> self_;  // what the thread posts finds this by it, or nothing
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_WORKSPACE_CONTEXT_H_
