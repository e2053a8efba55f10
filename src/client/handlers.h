#ifndef CURSORWIRE_SRC_CLIENT_HANDLERS_H_
#define CURSORWIRE_SRC_CLIENT_HANDLERS_H_

#include <memory>

#include "client/handler_threads.h"
#include "client/serving.h"
#include "cursorwire/exec_handler.h"
#include "cursorwire/query_handler.h"
#include "cursorwire/tool_registry.h"

namespace cursorwire {

// Who does what the agent asks for in one turn: the client's handlers and the tools of the request,
// on the threads of the client. A value. Thread-compatible.
class Handlers {
 public:
  // `threads` must live until the turn has ended. The others may be nullptr: nothing of theirs will
  // be asked for.
  Handlers(HandlerThreads& threads, std::shared_ptr<ExecHandler> exec_handler,
           std::shared_ptr<QueryHandler> query_handler, const ToolRegistry& tools);

  // Has the work of `serving` done, which gets the answer, soon or late, or none once it was
  // stopped.
  void Start(const std::shared_ptr<Serving>& serving) const;
  // Nobody waits for it any more. If nobody has begun it, it is forgotten.
  void Stop(Serving& serving) const;

 private:
  // Who does it. Shared with the tasks, which may outlive the turn.
  struct Doers {
    std::shared_ptr<ExecHandler> execs;
    std::shared_ptr<QueryHandler> queries;
    std::shared_ptr<const ToolRegistry> tools;

    void Do(const std::shared_ptr<Serving>& serving) const;
    void Call(ToolCall call, const std::shared_ptr<Serving>& serving) const;
  };

  HandlerThreads* threads_;
  Doers doers_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_HANDLERS_H_
