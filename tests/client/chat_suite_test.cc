// The same conversation in memory and over a loopback socket, with and without TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "support/chat_outcome.h"
#include "support/pair.h"

namespace cursorwire::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Asks one after the other on one connection.
class Chatter {
 public:
  virtual ~Chatter() = default;
  virtual ChatOutcome Ask(const ChatRequest& request) = 0;
};

class MemoryChatter final : public Chatter {
 public:
  MemoryChatter(connect::Security security, size_t piece_bytes)
      : pair_({.security = security, .piece_bytes = piece_bytes}) {}
  ChatOutcome Ask(const ChatRequest& request) override { return PairChat(pair_, request).Finish(); }

 private:
  Pair pair_;
};

class SocketChatter final : public Chatter {
 public:
  explicit SocketChatter(connect::Security security)
      : upstream_(*LocalUpstream::Start({.security = security})),
        client_(*Client::Create({.endpoint = upstream_.url(),
                                 .token = "secret-token",
                                 .channel = {.tls = {.ca_pem = upstream_.ca_pem()}}})) {}
  ChatOutcome Ask(const ChatRequest& request) override {
    ChatOutcome outcome;
    ChatStream stream = client_.Chat(request);
    while (const auto element = stream.Next()) outcome.Add(*element);
    EXPECT_FALSE(stream.Next().has_value());
    if (outcome.terminal_elements == 0) ++outcome.terminal_elements;
    outcome.violations = upstream_.violations();
    return outcome;
  }

 private:
  LocalUpstream upstream_;
  Client client_;
};

struct Transport {
  const char* name;
  std::function<std::unique_ptr<Chatter>()> make;

  friend void PrintTo(const Transport& transport, std::ostream* out) { *out << transport.name; }
};

std::vector<Transport> Transports() {
  using connect::Security;
  const auto memory = [](Security security, size_t piece_bytes) {
    return [=] { return std::make_unique<MemoryChatter>(security, piece_bytes); };
  };
  const auto socket = [](Security security) {
    return [=] { return std::make_unique<SocketChatter>(security); };
  };
  return {{"MemoryPlaintext", memory(Security::kPlaintext, 1 << 20)},
          {"MemoryTls", memory(Security::kTls, 1 << 20)},
          {"MemoryPlaintextByteByByte", memory(Security::kPlaintext, 1)},
          {"MemoryTlsInPiecesOf7", memory(Security::kTls, 7)},
          {"SocketPlaintext", socket(Security::kPlaintext)},
          {"SocketTls", socket(Security::kTls)}};
}

class ChatSuite : public ::testing::TestWithParam<Transport> {
 protected:
  ChatOutcome Ask(const ChatRequest& request) { return chatter_->Ask(request); }

  std::unique_ptr<Chatter> chatter_ = GetParam().make();
};

TEST_P(ChatSuite, StreamsAnAnswerThatQuotesThePrompt) {
  const ChatOutcome outcome = Ask({.prompt = "What is a monad?"});
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.terminal_elements, 1);
  EXPECT_THAT(outcome.text, HasSubstr("\"What is a monad?\""));
  EXPECT_THAT(outcome.thinking, Not(IsEmpty()));
  EXPECT_GT(outcome.tokens, 10);
  EXPECT_THAT(outcome.violations, IsEmpty());
}

TEST_P(ChatSuite, AnswersAnotherPromptDifferently) {
  const ChatOutcome first = Ask({.prompt = "one"});
  const ChatOutcome second = Ask({.prompt = "two"});
  EXPECT_NE(first.text, second.text);
  EXPECT_THAT(second.text, HasSubstr("\"two\""));
  EXPECT_THAT(second.violations, IsEmpty());
}

// The rules are in no message of the client but the blob that the server fetches.
TEST_P(ChatSuite, AnswersAfterTheBlobsThatItFetched) {
  const ChatOutcome without = Ask({.prompt = "hi"});
  const ChatOutcome with = Ask({.prompt = "hi", .system = "Speak like a sailor."});
  EXPECT_THAT(without.text, Not(HasSubstr("sailor")));
  EXPECT_THAT(with.text, HasSubstr("Speak like a sailor."));
  EXPECT_THAT(with.text, HasSubstr("2 prompt blobs"));
  EXPECT_THAT(with.violations, IsEmpty());
}

TEST_P(ChatSuite, EndsInTheOrderOfARealTurn) {
  const ChatOutcome outcome = Ask({.prompt = "hi", .model = "acme-5.5"});
  EXPECT_THAT(outcome.kinds, ElementsAre("thinking", "text", "turn_ended", "checkpoint"));
  EXPECT_THAT(outcome.text, HasSubstr("\"acme-5.5\""));
  ASSERT_EQ(outcome.checkpoints.size(), 3u);
  EXPECT_NE(outcome.checkpoints[0], outcome.checkpoints[1]);
  EXPECT_EQ(outcome.checkpoints[1], outcome.checkpoints[2]);
  ASSERT_TRUE(outcome.usage.has_value());
  EXPECT_EQ(outcome.usage->input_tokens, 1);
  EXPECT_EQ(outcome.usage->output_tokens, outcome.tokens);
  EXPECT_FALSE(outcome.usage->reasoning_tokens.has_value());
}

TEST_P(ChatSuite, CarriesEveryByteOfAPrompt) {
  const std::string prompt = "tab\t, quote \", backslash \\, z\u00fcrich, \u2603, \U0001F600, nul ";
  const ChatOutcome outcome = Ask({.prompt = prompt + std::string(1, '\0') + "!"});
  EXPECT_THAT(outcome.text, HasSubstr(prompt + std::string(1, '\0') + "!"));
  EXPECT_THAT(outcome.violations, IsEmpty());
}

TEST_P(ChatSuite, RefusesABadRequestWithoutSendingIt) {
  const ChatOutcome empty = Ask({.prompt = ""});
  EXPECT_EQ(empty.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(empty.terminal_elements, 1);
  const ChatOutcome broken = Ask({.prompt = "\xff"});
  EXPECT_EQ(broken.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(broken.violations, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Transports, ChatSuite, ::testing::ValuesIn(Transports()),
                         [](const auto& test) { return std::string(test.param.name); });

// Larger than the windows of both sides; by the byte it would take long and show no more.
class LargeChat : public ChatSuite {};

TEST_P(LargeChat, CarriesAPromptLargerThanAnyWindow) {
  std::string prompt(3'000'000, 'x');
  for (size_t i = 0; i < prompt.size(); i += 1000) prompt[i] = ' ';
  const ChatOutcome outcome = Ask({.prompt = prompt});
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(outcome.text.size(), ::testing::Gt(prompt.size()));
  EXPECT_NE(outcome.text.find(prompt), std::string::npos);
  EXPECT_THAT(outcome.violations, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Transports, LargeChat,
                         ::testing::Values(Transports()[0], Transports()[1], Transports()[4],
                                           Transports()[5]),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace cursorwire::test
