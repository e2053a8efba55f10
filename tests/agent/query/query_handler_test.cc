#include "cursorwire/query_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "support/errors.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

const QueryArgs kEach[] = {WebSearchQuery{},     WebFetchQuery{},   SwitchModeQuery{},
                           GenerateImageQuery{}, McpAuthQuery{},    AskQuestionQuery{},
                           CreatePlanQuery{},    PullRequestQuery{}};
static_assert(std::size(kEach) == std::variant_size_v<QueryArgs>);

class NobodyThere final : public QueryHandler {};

TEST(QueryHandler, RejectsWhatIsNotOverridden) {
  NobodyThere handler;
  for (size_t i = 0; i < std::size(kEach); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(kEach[i].index(), i);  // none is missing
    const absl::StatusOr<QueryOutput> output = CallQueryHandler(handler, kEach[i], {});
    EXPECT_THAT(output,
                StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("There is no user")));
    EXPECT_THAT(output, HasOrigin(connect::ErrorOrigin::kLocal));
  }
}

// Says yes to each, with a mark of the query that was answered.
class YesMan final : public QueryHandler {
 public:
  std::string asked;

  absl::Status WebSearch(const WebSearchQuery& query, const ActionContext&) override {
    return Note("search " + query.search_term);
  }
  absl::Status WebFetch(const WebFetchQuery& query, const ActionContext&) override {
    return Note("fetch " + query.url);
  }
  absl::Status SwitchMode(const SwitchModeQuery& query, const ActionContext&) override {
    return Note("mode " + query.target_mode);
  }
  absl::Status GenerateImage(const GenerateImageQuery& query, const ActionContext&) override {
    return Note("image " + query.description);
  }
  absl::Status McpAuth(const McpAuthQuery& query, const ActionContext&) override {
    return Note("auth " + query.server);
  }
  absl::StatusOr<QuestionAnswers> AskQuestion(const AskQuestionQuery& query,
                                              const ActionContext&) override {
    return QuestionAnswers{.answers = {{.question_id = query.title}}};
  }
  absl::StatusOr<PlanAccepted> CreatePlan(const CreatePlanQuery& query,
                                          const ActionContext&) override {
    return PlanAccepted{.plan_uri = query.name};
  }
  absl::StatusOr<PullRequestDone> PullRequest(const PullRequestQuery& query,
                                              const ActionContext&) override {
    return PullRequestDone{.message = query.details_json};
  }

 private:
  absl::Status Note(std::string text) {
    asked = std::move(text);
    return absl::OkStatus();
  }
};

TEST(CallQueryHandler, CallsTheFunctionOfTheQuery) {
  const struct {
    QueryArgs query;
    const char* asked;
  } kCases[] = {
      {WebSearchQuery{.search_term = "a"}, "search a"},
      {WebFetchQuery{.url = "b"}, "fetch b"},
      {SwitchModeQuery{.target_mode = "c"}, "mode c"},
      {GenerateImageQuery{.description = "d"}, "image d"},
      {McpAuthQuery{.server = "e"}, "auth e"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.asked);
    YesMan handler;
    const absl::StatusOr<QueryOutput> output = CallQueryHandler(handler, c.query, {});
    ASSERT_THAT(output, IsOk());
    EXPECT_TRUE(std::holds_alternative<QueryApproved>(*output));
    EXPECT_EQ(handler.asked, c.asked);
  }
  YesMan handler;
  EXPECT_EQ(
      std::get<QuestionAnswers>(*CallQueryHandler(handler, AskQuestionQuery{.title = "a"}, {}))
          .answers.at(0)
          .question_id,
      "a");
  EXPECT_EQ(
      std::get<PlanAccepted>(*CallQueryHandler(handler, CreatePlanQuery{.name = "b"}, {})).plan_uri,
      "b");
  EXPECT_EQ(std::get<PullRequestDone>(
                *CallQueryHandler(handler, PullRequestQuery{.details_json = "d"}, {}))
                .message,
            "d");
}

class Custom final : public QueryHandler {
 public:
  explicit Custom(std::function<absl::Status(const ActionContext&)> fn) : fn_(std::move(fn)) {}
  absl::Status WebFetch(const WebFetchQuery&, const ActionContext& context) override {
    return fn_(context);
  }

 private:
  std::function<absl::Status(const ActionContext&)> fn_;
};

TEST(CallQueryHandler, MakesAStatusOfWhatAHandlerThrows) {
  Custom throws([](const ActionContext&) -> absl::Status { throw std::runtime_error("oh"); });
  EXPECT_THAT(CallQueryHandler(throws, WebFetchQuery{}, {}),
              StatusIs(absl::StatusCode::kUnknown, HasSubstr("the handler threw: oh")));
  Custom number([](const ActionContext&) -> absl::Status { throw 1; });
  EXPECT_THAT(CallQueryHandler(number, WebFetchQuery{}, {}),
              StatusIs(absl::StatusCode::kUnknown, HasSubstr("not a std::exception")));
}

TEST(CallQueryHandler, HandsOverTheContext) {
  std::stop_source source;
  source.request_stop();
  Custom handler([](const ActionContext& context) {
    const bool is_whole = context.stop.stop_requested() && context.call_id == "c1";
    return is_whole ? absl::OkStatus() : absl::UnknownError("not told");
  });
  EXPECT_THAT(
      CallQueryHandler(handler, WebFetchQuery{}, {.call_id = "c1", .stop = source.get_token()}),
      IsOk());
}

}  // namespace
}  // namespace cursorwire
