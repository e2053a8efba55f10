#include "metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace cursor_gateway {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, AreTextOfPrometheus) {
  Metrics metrics;
  metrics.CountRequest("/v1/models", 200);
  metrics.CountRequest("/v1/models", 200);
  metrics.CountRequest("other", 404);
  metrics.CountUsage({.input_tokens = 10, .output_tokens = 2});
  metrics.CountUpstreamError("unavailable");
  metrics.RecordFirstToken(std::chrono::milliseconds(300));
  metrics.runs_parked = 3;
  metrics.state_errors = 4;
  const std::string text = metrics.Text();
  for (const char* line :
       {"cursor_gateway_requests_total{path=\"/v1/models\",status=\"200\"} 2\n",
        "cursor_gateway_requests_total{path=\"other\",status=\"404\"} 1\n",
        "cursor_gateway_tokens_total{kind=\"input\"} 10\n",
        "# TYPE cursor_gateway_runs_parked gauge\n", "cursor_gateway_runs_parked 3\n",
        "cursor_gateway_state_errors_total 4\n",
        "cursor_gateway_upstream_errors_total{code=\"unavailable\"} 1\n",
        "cursor_gateway_first_token_seconds_bucket{le=\"0.25\"} 0\n",
        "cursor_gateway_first_token_seconds_bucket{le=\"0.5\"} 1\n",
        "cursor_gateway_first_token_seconds_bucket{le=\"+Inf\"} 1\n",
        "cursor_gateway_first_token_seconds_sum 0.3\n",
        "cursor_gateway_first_token_seconds_count 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

}  // namespace
}  // namespace cursor_gateway
