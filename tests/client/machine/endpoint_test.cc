#include "client/machine/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "client/machine/process_environment.h"
#include "support/fake_process_environment.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::FakeProcessEnvironment;
using test::IsOkAndHolds;
using test::StatusIs;
using test::Texts;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kAgentDefault[] = "https://agentn.us.api5.cursor.sh";
constexpr char kApiDefault[] = "https://api2.cursor.sh";

std::string Config(const std::string& agent_url_config) {
  return R"({"version":1,"serverConfigCache":{"agentUrlConfig":)" + agent_url_config + "}}";
}

TEST(ResolveAgentEndpoint, SendsTheTokenToTheServiceAndThisMachineOnly) {
  constexpr struct {
    const char* url;
    bool allowed;
  } kCases[] = {
      {"https://cursor.sh", true},
      {"https://api2.cursor.sh", true},
      {"https://API2.CURSOR.SH/", true},
      {"https://cursor.com:8443", true},
      {"https://localhost:1234", true},
      {"http://localhost:1234", true},
      {"http://127.0.0.1:1", true},
      {"http://[::1]:1", true},
      {"http://api2.cursor.sh", false},
      {"https://evilcursor.sh", false},
      {"https://cursor.sh.evil.example", false},
      {"https://example.com", false},
      {"https://127.0.0.1.evil.example", false},
      {"https://127.evil.example", false},
      {"https://user@cursor.sh", false},
      {"https://cursor.sh@evil.example", false},
      {"https://evil.example#.cursor.sh", false},
      {"https://evil.example?.cursor.sh", false},
      {"https://evil.example\\.cursor.sh", false},
      {"ftp://cursor.sh", false},
      {"cursor.sh", false},
      {"https://", false},
      {"https://cursor.sh:0", false},
      {"https://cursor.sh:65536", false},
      {"https://cursor.sh:12x", false},
      {"https://[::1", false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.url);
    const auto agent = ResolveAgentEndpoint(c.url, FakeProcessEnvironment({}));
    const auto api = ResolveApiEndpoint(c.url, kAgentDefault, FakeProcessEnvironment({}));
    EXPECT_EQ(agent.ok(), c.allowed) << agent.status();
    EXPECT_EQ(api.ok(), c.allowed) << api.status();
    if (!c.allowed) {
      EXPECT_THAT(agent, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("endpoint: ")));
      EXPECT_THAT(api, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("api_endpoint: ")));
    }
  }
}

TEST(ResolveAgentEndpoint, TakesTheFirstSourceThereIs) {
  const std::string home_config = Config(R"({"agentUrl":"https://home.cursor.sh"})");
  const struct {
    const char* name;
    std::string option;
    Texts variables;
    Texts files;
    std::string expected;
  } kCases[] = {
      {"nothing", "", {}, {}, kAgentDefault},
      {"the option",
       "https://option.cursor.sh",
       {{"CURSORWIRE_AGENT_URL", "https://own.cursor.sh"}},
       {},
       "https://option.cursor.sh"},
      {"our variable",
       "",
       {{"CURSORWIRE_AGENT_URL", "https://own.cursor.sh"},
        {"CURSOR_AGENT_URL", "https://theirs.cursor.sh"}},
       {},
       "https://own.cursor.sh"},
      {"the official variable",
       "",
       {{"CURSOR_AGENT_URL", "https://theirs.cursor.sh"}, {"HOME", "/h"}},
       {{"/h/.cursor/cli-config.json", home_config}},
       "https://theirs.cursor.sh"},
      {"a variable of another program",
       "",
       {{"PI_CURSOR_AGENT_URL", "https://pi.cursor.sh"}},
       {},
       kAgentDefault},
      {"variables that do not parse",
       "",
       {{"CURSORWIRE_AGENT_URL", "nonsense"}, {"CURSOR_AGENT_URL", "https://theirs.cursor.sh"}},
       {},
       "https://theirs.cursor.sh"},
      {"the file at home",
       "",
       {{"HOME", "/h"}, {"CURSOR_AGENT_URL", "https://"}},
       {{"/h/.cursor/cli-config.json", home_config}},
       "https://home.cursor.sh"},
      {"the file elsewhere",
       "",
       {{"HOME", "/h"}, {"CURSOR_CONFIG_DIR", "/c"}},
       {{"/h/.cursor/cli-config.json", home_config},
        {"/c/cli-config.json", Config(R"({"agentUrl":"https://dir.cursor.sh"})")}},
       "https://dir.cursor.sh"},
      {"no file elsewhere",
       "",
       {{"HOME", "/h"}, {"CURSOR_CONFIG_DIR", "/c"}},
       {{"/h/.cursor/cli-config.json", home_config}},
       kAgentDefault},
      {"no home", "", {}, {{"/.cursor/cli-config.json", home_config}}, kAgentDefault},
      {"agentnUrl before agentUrl",
       "",
       {{"HOME", "/h"}},
       {{"/h/.cursor/cli-config.json",
         Config(R"({"agentUrl":"https://a.cursor.sh","agentnUrl":"https://n.cursor.sh"})")}},
       "https://n.cursor.sh"},
      {"agentnUrl that does not parse",
       "",
       {{"HOME", "/h"}},
       {{"/h/.cursor/cli-config.json",
         Config(R"({"agentUrl":"https://a.cursor.sh","agentnUrl":"x"})")}},
       "https://a.cursor.sh"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ResolveAgentEndpoint(c.option, FakeProcessEnvironment(c.variables, c.files)),
                IsOkAndHolds(c.expected));
  }
}

TEST(ResolveAgentEndpoint, IgnoresABrokenFile) {
  for (const char* text :
       {"", "{", "[]", "null", "{\"serverConfigCache\":1}",
        "{\"serverConfigCache\":{\"agentUrlConfig\":[]}}",
        "{\"serverConfigCache\":{\"agentUrlConfig\":{\"agentUrl\":1,\"agentnUrl\":null}}}",
        "{\"agentUrlConfig\":{\"agentUrl\":\"https://a.cursor.sh\"}}"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(
        ResolveAgentEndpoint(
            "", FakeProcessEnvironment({{"HOME", "/h"}}, {{"/h/.cursor/cli-config.json", text}})),
        IsOkAndHolds(std::string(kAgentDefault)));
  }
}

TEST(ResolveAgentEndpoint, SaysWhereAUrlCameFromThatIsNotAllowed) {
  const std::string evil = "https://evil.example";
  EXPECT_THAT(ResolveAgentEndpoint(
                  "", FakeProcessEnvironment({{"CURSORWIRE_AGENT_URL", evil},
                                              {"CURSOR_AGENT_URL", "https://a.cursor.sh"}})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("CURSORWIRE_AGENT_URL"), HasSubstr("evil.example"))));
  EXPECT_THAT(ResolveAgentEndpoint(
                  "", FakeProcessEnvironment({{"CURSOR_AGENT_URL", "http://a.cursor.sh"}})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("CURSOR_AGENT_URL"), HasSubstr("https://"))));
  EXPECT_THAT(ResolveAgentEndpoint(
                  "", FakeProcessEnvironment({{"HOME", "/h"}},
                                             {{"/h/.cursor/cli-config.json",
                                               Config(R"({"agentUrl":"https://evil.example"})")}})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("/h/.cursor/cli-config.json"), HasSubstr("evil.example"))));
  EXPECT_THAT(ResolveApiEndpoint("", "https://localhost:1",
                                 FakeProcessEnvironment({{"CURSORWIRE_API_URL", evil}})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("CURSORWIRE_API_URL")));
}

TEST(ResolveAgentEndpoint, CutsWhatIsBehindThePath) {
  EXPECT_THAT(
      ResolveAgentEndpoint(
          "", FakeProcessEnvironment({{"CURSOR_AGENT_URL", "https://A.cursor.sh:8443//?q#f"}})),
      IsOkAndHolds(std::string("https://a.cursor.sh:8443")));
  EXPECT_THAT(ResolveAgentEndpoint(
                  "", FakeProcessEnvironment({{"CURSOR_AGENT_URL", "https://a.cursor.sh/p/#f"}})),
              IsOkAndHolds(std::string("https://a.cursor.sh/p")));
  EXPECT_THAT(ResolveAgentEndpoint("https://[::1]:443/", FakeProcessEnvironment({})),
              IsOkAndHolds(std::string("https://[::1]")));
}

TEST(ResolveApiEndpoint, TakesTheFirstSourceThereIs) {
  const ProcessEnvironment set =
      FakeProcessEnvironment({{"CURSORWIRE_API_URL", "https://env.cursor.sh/"}});
  EXPECT_THAT(ResolveApiEndpoint("https://option.cursor.sh", kAgentDefault, set),
              IsOkAndHolds(std::string("https://option.cursor.sh")));
  EXPECT_THAT(ResolveApiEndpoint("", kAgentDefault, set),
              IsOkAndHolds(std::string("https://env.cursor.sh")));
  EXPECT_THAT(
      ResolveApiEndpoint("", kAgentDefault, FakeProcessEnvironment({{"CURSORWIRE_API_URL", "x"}})),
      IsOkAndHolds(std::string(kApiDefault)));
  EXPECT_THAT(ResolveApiEndpoint("", kAgentDefault, FakeProcessEnvironment({})),
              IsOkAndHolds(std::string(kApiDefault)));
}

TEST(ResolveApiEndpoint, KeepsTheTokenOfALocalServerOnThisMachine) {
  for (const char* url : {"https://localhost:1234", "http://127.0.0.1:1234", "http://[::1]:1"}) {
    SCOPED_TRACE(url);
    EXPECT_THAT(ResolveApiEndpoint("", url, FakeProcessEnvironment({})),
                IsOkAndHolds(std::string(url)));
  }
}

}  // namespace
}  // namespace cursorwire
