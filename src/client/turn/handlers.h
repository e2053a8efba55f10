#ifndef CURSORWIRE_SRC_CLIENT_TURN_HANDLERS_H_
#define CURSORWIRE_SRC_CLIENT_TURN_HANDLERS_H_

#include <memory>

#include "client/turn/handler_threads.h"
#include "client/turn/serving.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/query_handler.h"
#include "cursorwire/tools.h"

namespace cursorwire {

// The handlers that do what the agent asks for in one turn: those of the client and the tools of
// the request. They run on the client's threads. A value. Thread-compatible.
class Handlers {
 public:
  // A handler may be nullptr if it will never be needed.
  Handlers(std::shared_ptr<HandlerThreads> threads, std::shared_ptr<ExecHandler> exec_handler,
           std::shared_ptr<QueryHandler> query_handler, const ToolRegistry& tools);

  // Starts the work of `serving`. The answer goes to `serving` sooner or later, or not at all if it
  // was stopped.
  void Start(const std::shared_ptr<Serving>& serving) const;
  // Nobody waits for the answer any more. Work that has not begun is dropped.
  void Stop(Serving& serving) const;

 private:
  // The handlers. Shared with the tasks, which may outlive the turn.
  struct Doers {
    std::shared_ptr<ExecHandler> execs;
    std::shared_ptr<QueryHandler> queries;
    std::shared_ptr<const ToolRegistry> tools;

    void Do(const std::shared_ptr<Serving>& serving) const;
    ExecHandler& HandlerOf(const ExecArgs& args) const;
    void Call(ToolCall call, const std::shared_ptr<Serving>& serving) const;
  };

  std::shared_ptr<HandlerThreads> threads_;  // shared with the client and its other turns
  Doers doers_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_HANDLERS_H_
