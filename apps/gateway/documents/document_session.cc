#include "documents/document_session.h"

#include <cursorwire/connect/error_info.h>
#include <cursorwire/query.h>

#include <utility>
#include <variant>

namespace cursor_gateway {

DocumentSession::DocumentSession(EventLoop& loop, Metrics& metrics, StateKeeper& state,
                                 std::string client_key, std::shared_ptr<SessionHandler> handler,
                                 cursorwire::Client client, cursorwire::Conversation conversation)
    : TurnHost(loop, metrics),
      state_(state),
      client_key_(std::move(client_key)),
      handler_(std::move(handler)),
      client_(std::move(client)),
      conversation_(std::move(conversation)),
      used_(loop.Now()) {}

cursorwire::mcp::CallPolicy DocumentSession::call_policy() const {
  return [handler = handler_](const cursorwire::mcp::ServerCall& call,
                              const cursorwire::ActionContext& context) {
    return handler->DecideCall(call, context.stop);
  };
}

void DocumentSession::Begin(std::shared_ptr<DocumentAnswer> answer,
                            std::shared_ptr<BodyShare> body) {
  busy_ = true;
  asked_ = false;
  complete_ = false;
  used_ = loop_.Now();
  body_ = std::move(body);
  Attach(std::move(answer));
}

void DocumentSession::Ask(cursorwire::ChatRequest request, TurnRules rules) {
  const std::weak_ptr weak = std::static_pointer_cast<DocumentSession>(shared_from_this());
  EventLoop& loop = loop_;
  const auto post = [weak, &loop](std::function<void(DocumentAnswer&)> show) {
    loop.Post([weak, show = std::move(show)] {
      const auto self = weak.lock();
      if (self != nullptr && self->answer_ != nullptr) show(*self->answer_);
    });
  };
  if (rules.ask) {
    rules.ask = [post](const ApprovalQuestion& question) {
      post([question](DocumentAnswer& shown) { shown.AddApproval(question); });
    };
  }
  handler_->SetRules(std::move(rules));
  mode_ = request.mode;
  request.hand_out_questions = true;
  call_ = conversation_.Chat(request, NewFeed());
  asked_ = true;
  BeginRun();
}

void DocumentSession::End(const absl::Status& why) {
  if (answer_ != nullptr) answer_->Finish(why);
  Leave();
}

void DocumentSession::Leave() {
  const auto self = shared_from_this();
  Release();
  if (asked_) return call_.Cancel();
  if (!busy_) return;
  hold_.reset();
  BecomeIdle();
}

void DocumentSession::OnItem(TurnItem item) {
  const auto self = shared_from_this();
  if (auto* end = std::get_if<TurnEnd>(&item)) {
    OnEnd(end->status);
  } else if (auto* event = std::get_if<TurnEvent>(&item)) {
    OnEvent(std::move(*event));
  }
}

void DocumentSession::OnEvent(TurnEvent event) {
  if (const auto* asked = event.event.As<cursorwire::QuestionAsked>()) Answer(*asked);
  const auto* ended = event.event.As<cursorwire::TurnEnded>();
  if (ended != nullptr) {
    metrics_.CountUsage(ended->usage);
    complete_ = true;
  }
  if (answer_ == nullptr || unkept_) return;
  if (ended != nullptr) {
    id_ = call_.conversation_id();
    answer_->set_conversation_id(id_);
    AwaitLastState();
    unkept_ = std::move(event);
    return Keep();
  }
  Show(std::move(event));
}

void DocumentSession::Answer(const cursorwire::QuestionAsked& asked) const {
  const bool is_plan = std::holds_alternative<cursorwire::CreatePlanQuery>(asked.question);
  if (is_plan && mode_ == cursorwire::AgentMode::kPlan) {
    asked.reply.Send(cursorwire::QueryOutput(cursorwire::PlanAccepted{}));
  } else if (std::holds_alternative<cursorwire::AskQuestionQuery>(asked.question)) {
    asked.reply.Send(absl::FailedPreconditionError(
        "the questions are shown to the user, who answers in the next message: end your turn"));
  }
}

void DocumentSession::Keep() {
  if (hold_ != nullptr && hold_->key().name == id_) {
    hold_->Change(kNoteEnding, kEndingLease);
    return Write(StateKeeper::Claimed::kStays);
  }
  // A new conversation, or one that got a new id: nobody goes on by the former one.
  if (hold_ != nullptr) state_.Erase(hold_->key());
  hold_.reset();
  state_.Claim(KeyOf(id_), kNoteEnding, kEndingLease, revision_,
               [this, self = shared_from_this()](absl::StatusOr<StateClaimed> claimed) {
                 if (!claimed.ok() || claimed->hold == nullptr) return OnKept();
                 // The state was away when this turn began, and another gateway went on meanwhile:
                 // its conversation is the one.
                 if (claimed->entry && claimed->entry->revision != revision_) {
                   revision_ = -1;
                   return OnKept();
                 }
                 hold_ = std::move(claimed->hold);
                 Write(StateKeeper::Claimed::kStays);
               });
}

void DocumentSession::Write(StateKeeper::Claimed claimed) {
  cursorwire::SavedConversation saved = conversation_.Serialize();
  const auto written = [this, self = shared_from_this(), hold = hold_, revision = ++revision_,
                        claimed](const absl::Status& status) {
    if (status.code() == absl::StatusCode::kAborted) {
      // This process slept, and another one went on: its conversation is the one.
      revision_ = -1;
      if (hold_ == hold) hold_.reset();
    } else if (!status.ok() && revision_ == revision) {
      --revision_;  // another gateway may write that one
    }
    if (claimed == StateKeeper::Claimed::kStays) OnKept();
  };
  state_.Put(hold_->key(),
             {.owner = client_key_,
              .revision = revision_,
              .value = std::move(saved.bytes),
              .blobs = std::move(saved.blobs)},
             kStateLife, written, hold_->holder(), claimed);
}

void DocumentSession::OnKept() {
  TurnEvent event = *std::move(unkept_);
  unkept_.reset();
  if (answer_ != nullptr) Show(std::move(event));
  if (unkept_end_) OnEnd(*std::exchange(unkept_end_, std::nullopt));
}

void DocumentSession::Show(TurnEvent event) {
  answer_->Add(event.event);
  if (answer_->ended()) {
    if (!complete_) call_.Cancel();  // it is too long
    Release();
    return;
  }
  Hold(std::move(event.hold));
}

void DocumentSession::OnEnd(const absl::Status& status) {
  end_timer_.reset();
  if (unkept_) {
    unkept_end_ = status;
    return;
  }
  if (answer_ != nullptr) {
    if (!status.ok()) {
      metrics_.CountUpstreamError(cursorwire::connect::CodeText(status.code()));
    }
    answer_->set_conversation_id(id_);  // of one that was not completed, nobody knows another
    answer_->Finish(status);
  }
  Release();
  // Without a claim, the state was away when the turn was complete.
  if (complete_ && hold_ != nullptr) Write(StateKeeper::Claimed::kEnds);
  hold_.reset();
  EndRun();
  BecomeIdle();
}

void DocumentSession::BecomeIdle() {
  busy_ = false;
  used_ = loop_.Now();
  body_.reset();
  if (on_end_) on_end_();
  if (const auto on_idle = std::exchange(on_idle_, nullptr)) on_idle();
}

}  // namespace cursor_gateway
