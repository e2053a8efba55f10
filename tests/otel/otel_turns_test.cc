#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/otel_interceptor.h"
#include "otel/recorded_telemetry.h"
#include "support/patience.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using api::trace::SpanKind;
using api::trace::StatusCode;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kDuration[] = "gen_ai.client.operation.duration";
constexpr char kTokens[] = "gen_ai.client.token.usage";

// A client of a local upstream whose calls are recorded. Texts with "secret" in them must not be.
class Recorded {
 public:
  explicit Recorded(std::vector<Script> scripts, int max_retries = 0)
      : upstream_(*LocalUpstream::Start({.scripts = std::move(scripts)})),
        client_(*Client::Create(
            {.endpoint = upstream_.url(),
             .token = "secret-token",
             .channel = {.tls = {.ca_pem = upstream_.ca_pem()},
                         .interceptors = {std::make_shared<OtelInterceptor>(
                             RecordingOptions(records_))}},
             .retry = {.max_retries = max_retries, .first_delay = std::chrono::milliseconds(0)}})) {
  }

  absl::Status Ask() const {
    return client_.Chat({.prompt = "secret prompt", .model = "gpt", .system = "secret rules"})
        .Collect()
        .status();
  }
  const Client& client() const { return client_; }
  // The spans of turns, once `runs` of them have ended.
  std::vector<RecordedSpan> Turns(size_t runs) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (records_->values(kDuration).size() < runs && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    std::vector<RecordedSpan> turns;
    for (const RecordedSpan& span : records_->spans()) {
      if (span.attributes.contains("gen_ai.operation.name")) turns.push_back(span);
    }
    EXPECT_THAT(turns, SizeIs(runs));
    EXPECT_THAT(records_->values(kDuration), SizeIs(runs));
    EXPECT_THAT(records_->AllText(), Not(HasSubstr("secret")));
    turns.resize(runs);
    return turns;
  }
  std::vector<RecordedValue> values(const char* histogram) const {
    return records_->values(histogram);
  }
  std::vector<RecordedSpan> spans() const { return records_->spans(); }

 private:
  const std::shared_ptr<Records> records_ = std::make_shared<Records>();
  const LocalUpstream upstream_;
  const Client client_;
};

TEST(OtelTurns, BecomeSpans) {
  const Recorded recorded({Script()
                               .Thinking("secret thought")
                               .Text("secret ")
                               .Text("answer")
                               .TurnEnded(R"({"input_tokens": 12, "output_tokens": 34})")});
  EXPECT_THAT(recorded.Ask(), IsOk());
  const RecordedSpan span = recorded.Turns(1)[0];
  EXPECT_EQ(span.name, "chat gpt");
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.status, StatusCode::kUnset);
  EXPECT_EQ(span.ends, 1);
  Attributes attributes = span.attributes;
  EXPECT_THAT(attributes["gen_ai.conversation.id"], SizeIs(36));
  const double first_text =
      std::strtod(attributes["cursorwire.time_to_first_text"].c_str(), nullptr);
  EXPECT_GT(first_text, 0);
  EXPECT_LE(first_text, std::chrono::duration<double>(span.end - span.start).count());
  attributes.erase("gen_ai.conversation.id");
  attributes.erase("cursorwire.time_to_first_text");
  EXPECT_EQ(attributes, (Attributes{{"gen_ai.operation.name", "chat"},
                                    {"gen_ai.provider.name", "cursor"},
                                    {"gen_ai.system", "cursor"},
                                    {"gen_ai.request.model", "gpt"},
                                    {"gen_ai.usage.input_tokens", "12"},
                                    {"gen_ai.usage.output_tokens", "34"},
                                    {"http.response.status_code", "200"}}));
}

TEST(OtelTurns, BecomeMetrics) {
  const Recorded recorded(
      {Script().Text("a").TurnEnded(R"({"input_tokens": 12, "output_tokens": 34})")});
  EXPECT_THAT(recorded.Ask(), IsOk());
  const RecordedSpan span = recorded.Turns(1)[0];
  Attributes expected = {{"gen_ai.operation.name", "chat"},
                         {"gen_ai.provider.name", "cursor"},
                         {"gen_ai.request.model", "gpt"}};
  const RecordedValue duration = recorded.values(kDuration)[0];
  EXPECT_EQ(duration.unit, "s");
  EXPECT_EQ(duration.attributes, expected);
  EXPECT_EQ(duration.value, std::chrono::duration<double>(span.end - span.start).count());
  const std::vector<RecordedValue> tokens = recorded.values(kTokens);
  ASSERT_THAT(tokens, SizeIs(2));
  EXPECT_EQ(tokens[0].unit, "{token}");
  EXPECT_EQ(tokens[0].value, 12);
  expected["gen_ai.token.type"] = "input";
  EXPECT_EQ(tokens[0].attributes, expected);
  EXPECT_EQ(tokens[1].value, 34);
  expected["gen_ai.token.type"] = "output";
  EXPECT_EQ(tokens[1].attributes, expected);
}

TEST(OtelTurns, HaveNoTokensThatTheServiceDoesNotTell) {
  const Recorded recorded({Script().Text("a").TurnEnded()});
  EXPECT_THAT(recorded.Ask(), IsOk());
  EXPECT_FALSE(recorded.Turns(1)[0].attributes.contains("gen_ai.usage.input_tokens"));
  EXPECT_THAT(recorded.values(kTokens), IsEmpty());
}

void ExpectError(const Script& script, const std::string& error_type) {
  const Recorded recorded({script});
  EXPECT_FALSE(recorded.Ask().ok());
  const RecordedSpan span = recorded.Turns(1)[0];
  EXPECT_EQ(span.status, StatusCode::kError);
  EXPECT_EQ(span.description, error_type);
  EXPECT_EQ(span.attributes.at("error.type"), error_type);
  EXPECT_FALSE(span.attributes.contains("rpc.connect_rpc.error_code"));
  EXPECT_EQ(recorded.values(kDuration)[0].attributes.at("error.type"), error_type);
}

TEST(OtelTurns, TellTheirErrors) {
  ExpectError(Script().Error("resource_exhausted", "secret limit"), "resource_exhausted");
  ExpectError(Script().HttpStatus(503, "secret body"), "unavailable");
  ExpectError(Script().Text("a").Drop(), "unavailable");
  ExpectError(Script().Text("a").EndStream(), "_OTHER");
}

TEST(OtelTurns, AreCompleteWhateverFollowsTheirEnd) {
  const Recorded recorded({Script().Text("a").TurnEnded().Error("unavailable", "busy")});
  EXPECT_THAT(recorded.Ask(), IsOk());
  EXPECT_EQ(recorded.Turns(1)[0].status, StatusCode::kUnset);
}

TEST(OtelTurns, AreCancelled) {
  for (const Script& script :
       {Script().Text("secret").ExpectCancel().EndStream(), Script().Text("secret").Stall()}) {
    const Recorded recorded({script});
    ChatStream stream = recorded.client().Chat({.prompt = "secret", .model = "gpt"});
    ASSERT_TRUE(stream.Next().has_value());
    stream.Cancel();
    while (stream.Next().has_value()) {
    }
    const RecordedSpan span = recorded.Turns(1)[0];
    EXPECT_EQ(span.status, StatusCode::kError);
    EXPECT_EQ(span.attributes.at("error.type"), "canceled");
  }
}

TEST(OtelTurns, HaveASpanForEachTry) {
  const Recorded recorded({Script().Error("unavailable", "busy"), Script().Text("a").TurnEnded()},
                          1);
  EXPECT_THAT(recorded.Ask(), IsOk());
  const std::vector<RecordedSpan> spans = recorded.Turns(2);
  EXPECT_EQ(spans[0].attributes.at("error.type"), "unavailable");
  EXPECT_EQ(spans[1].status, StatusCode::kUnset);
}

// A channel repeats it by itself, within the call.
TEST(OtelTurns, HaveOneSpanWhereTheConnectionRefusesTheCall) {
  const Recorded recorded({Script().GoAwayBefore(), Script().Text("a").TurnEnded()});
  EXPECT_THAT(recorded.Ask(), IsOk());
  EXPECT_EQ(recorded.Turns(1)[0].status, StatusCode::kUnset);
}

TEST(OtelTurns, StandBesideEachOther) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5;
  const Recorded recorded(
      {Script().Text("secret").TurnEnded(R"({"input_tokens": 1, "output_tokens": 2})")});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&recorded] {
      for (int i = 0; i < kEach; ++i) EXPECT_THAT(recorded.Ask(), IsOk());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const RecordedSpan& span : recorded.Turns(size_t{kThreads} * kEach)) {
    EXPECT_EQ(span.name, "chat gpt");
    EXPECT_EQ(span.ends, 1);
  }
  EXPECT_THAT(recorded.values(kTokens), SizeIs(2 * kThreads * kEach));
}

TEST(OtelTurns, StandBesideOtherCalls) {
  const Recorded recorded({Script().Text("a").TurnEnded()});
  EXPECT_THAT(recorded.client().ListModels(), IsOk());
  bool found = false;
  for (const RecordedSpan& span : recorded.spans()) {
    EXPECT_TRUE(span.attributes.contains("rpc.method")) << span.name;
    found = found || span.attributes.at("rpc.system") == "connect_rpc";
  }
  EXPECT_TRUE(found);
  EXPECT_THAT(recorded.values(kDuration), IsEmpty());
}

}  // namespace
}  // namespace cursorwire::test
