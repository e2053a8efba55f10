#ifndef CURSORWIRE_TESTS_WORKSPACE_RECORDED_POLICY_H_
#define CURSORWIRE_TESTS_WORKSPACE_RECORDED_POLICY_H_

#include <absl/status/status.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/workspace.h"

namespace cursorwire::test {

// A policy that keeps what it was asked for, and allows all unless it is told otherwise.
class RecordedPolicy {
 public:
  ActionPolicy Get() const {
    return [state = state_](const LocalAction& action, const ActionContext& context) {
      std::function<absl::Status(const LocalAction&, const ActionContext&)> decide;
      {
        const std::lock_guard lock(state->mutex);
        state->actions.push_back(action);
        decide = state->decide;
      }
      return decide ? decide(action, context) : absl::OkStatus();
    };
  }

  void Decide(ActionPolicy decide) const {
    const std::lock_guard lock(state_->mutex);
    state_->decide = std::move(decide);
  }
  void Refuse(const std::string& message) const {
    Decide([message](const LocalAction&, const ActionContext&) {
      return absl::PermissionDeniedError(message);
    });
  }
  // While it decides, this happens.
  void Meanwhile(std::function<void()> event) const {
    Decide([event = std::move(event)](const LocalAction&, const ActionContext&) {
      event();
      return absl::OkStatus();
    });
  }

  std::vector<LocalAction> actions() const {
    const std::lock_guard lock(state_->mutex);
    return state_->actions;
  }
  // The last action; an exception, and so a failure, if it is not of that kind.
  template <typename Kind>
  Kind last() const {
    return std::get<Kind>(actions().at(actions().size() - 1));
  }

 private:
  struct State {
    std::mutex mutex;
    std::vector<LocalAction> actions;  // guarded by mutex
    ActionPolicy decide;               // guarded by mutex
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_WORKSPACE_RECORDED_POLICY_H_
