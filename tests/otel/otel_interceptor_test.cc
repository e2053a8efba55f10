#include "cursorwire/otel_interceptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "otel/recorded_telemetry.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using api::trace::SpanKind;
using api::trace::StatusCode;
using connect::CallKind;
using connect::CallRecord;
using connect::Headers;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kRun[] = "/agent.v1.AgentService/Run";

class OtelInterceptorTest : public ::testing::Test {
 protected:
  OtelOptions options() const { return RecordingOptions(records_); }
  // One call from its start to its end.
  static void Make(OtelInterceptor& otel, CallRecord record, const absl::Status& status) {
    Headers headers = {{"authorization", "Bearer secret"}};
    record.start = std::chrono::steady_clock::now();
    EXPECT_THAT(otel.OnRequest(record, headers), IsOk());
    EXPECT_THAT(headers, SizeIs(1));
    otel.OnSend(record, "secret");
    otel.OnHead(record, {{"set-cookie", "secret"}});
    otel.OnMessage(record, "secret");
    record.end = record.start + std::chrono::milliseconds(250);
    otel.OnEnd(record, {.status = status});
  }

  const std::shared_ptr<Records> records_ = std::make_shared<Records>();
};

TEST_F(OtelInterceptorTest, MakesASpanOfACall) {
  OtelInterceptor otel(options());
  Make(otel, {.path = "/a.B/C?message=secret", .kind = CallKind::kUnary, .http_status = 200},
       absl::OkStatus());
  ASSERT_THAT(records_->spans(), SizeIs(1));
  const RecordedSpan span = records_->spans()[0];
  EXPECT_EQ(span.name, "a.B/C");
  EXPECT_EQ(span.kind, SpanKind::kClient);
  EXPECT_EQ(span.attributes, (Attributes{{"rpc.system", "connect_rpc"},
                                         {"rpc.service", "a.B"},
                                         {"rpc.method", "C"},
                                         {"http.response.status_code", "200"}}));
  EXPECT_EQ(span.status, StatusCode::kUnset);
  EXPECT_EQ(span.end - span.start, std::chrono::milliseconds(250));
  const auto age = std::chrono::system_clock::now() - span.start_system;
  EXPECT_GE(age, std::chrono::seconds(0));
  EXPECT_LT(age, std::chrono::minutes(1));
  EXPECT_EQ(span.ends, 1);
  EXPECT_THAT(records_->values("gen_ai.client.operation.duration"), IsEmpty());
}

TEST_F(OtelInterceptorTest, TellsTheCodeOfAnErrorAndNotItsText) {
  OtelInterceptor otel(options());
  Make(otel, {.path = "/a.B/C"}, absl::NotFoundError("secret"));
  const RecordedSpan span = records_->spans().at(0);
  EXPECT_EQ(span.status, StatusCode::kError);
  EXPECT_EQ(span.description, "not_found");
  EXPECT_EQ(span.attributes.at("error.type"), "not_found");
  EXPECT_EQ(span.attributes.at("rpc.connect_rpc.error_code"), "not_found");
}

TEST_F(OtelInterceptorTest, HasNoPathOfARawCall) {
  OtelInterceptor otel(options());
  Make(otel, {.path = "/secret/secret?secret", .kind = CallKind::kRaw, .http_status = 404},
       absl::OkStatus());
  const RecordedSpan span = records_->spans().at(0);
  EXPECT_EQ(span.name, "HTTP");
  EXPECT_EQ(span.attributes, (Attributes{{"http.response.status_code", "404"}}));
}

TEST_F(OtelInterceptorTest, TellsTheServerOfTurns) {
  OtelOptions with_server = options();
  with_server.server_address = "agent.example";
  with_server.server_port = 443;
  OtelInterceptor otel(with_server);
  Make(otel, {.path = kRun}, absl::UnavailableError("secret"));
  Make(otel, {.path = "/a.B/C"}, absl::OkStatus());
  const RecordedSpan turn = records_->spans().at(0);
  EXPECT_EQ(turn.name, "chat");  // the bytes are no request
  EXPECT_EQ(turn.attributes.at("server.address"), "agent.example");
  EXPECT_EQ(turn.attributes.at("server.port"), "443");
  EXPECT_FALSE(records_->spans().at(1).attributes.contains("server.address"));
  const auto durations = records_->values("gen_ai.client.operation.duration");
  ASSERT_THAT(durations, SizeIs(1));
  EXPECT_EQ(durations[0].value, 0.25);
  EXPECT_EQ(durations[0].unit, "s");
  EXPECT_EQ(durations[0].attributes, (Attributes{{"gen_ai.operation.name", "chat"},
                                                 {"gen_ai.provider.name", "cursor"},
                                                 {"server.address", "agent.example"},
                                                 {"server.port", "443"},
                                                 {"error.type", "unavailable"}}));
}

TEST_F(OtelInterceptorTest, WorksWithoutProviders) {
  OtelOptions none = options();
  none.tracer_provider = nullptr;
  OtelInterceptor metrics_only(none);
  Make(metrics_only, {.path = kRun}, absl::OkStatus());
  EXPECT_THAT(records_->spans(), IsEmpty());
  EXPECT_THAT(records_->values("gen_ai.client.operation.duration"), SizeIs(1));
  none.meter_provider = nullptr;
  OtelInterceptor nothing(none);
  Make(nothing, {.path = kRun}, absl::OkStatus());
  EXPECT_THAT(records_->values("gen_ai.client.operation.duration"), SizeIs(1));
}

TEST_F(OtelInterceptorTest, UsesTheGlobalProviders) {
  api::trace::Provider::SetTracerProvider(options().tracer_provider);
  OtelInterceptor otel;
  api::trace::Provider::SetTracerProvider({});
  Make(otel, {.path = "/a.B/C"}, absl::OkStatus());
  EXPECT_THAT(records_->spans(), SizeIs(1));
}

TEST_F(OtelInterceptorTest, EndsTheSpansOfOpenCalls) {
  const CallRecord record{.path = "/a.B/C"};
  Headers headers;
  {
    OtelInterceptor otel(options());
    EXPECT_THAT(otel.OnRequest(record, headers), IsOk());
    EXPECT_EQ(records_->spans().at(0).ends, 0);
  }
  EXPECT_EQ(records_->spans().at(0).ends, 1);
}

TEST_F(OtelInterceptorTest, IgnoresCallsThatItDidNotSeeStart) {
  OtelInterceptor otel(options());
  const CallRecord record{.path = kRun};
  otel.OnSend(record, "x");
  otel.OnMessage(record, "x");
  otel.OnEnd(record, {});
  EXPECT_THAT(records_->spans(), IsEmpty());
}

TEST_F(OtelInterceptorTest, ServesManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 200;
  OtelInterceptor otel(options());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&otel] {
      for (int i = 0; i < kCalls; ++i) Make(otel, {.path = kRun}, absl::OkStatus());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(records_->spans(), SizeIs(kThreads * kCalls));
  for (const RecordedSpan& span : records_->spans()) EXPECT_EQ(span.ends, 1);
  EXPECT_THAT(records_->AllText(), Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace cursorwire::test
