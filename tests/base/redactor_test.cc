#include "cursorwire/connect/redactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "support/status_matchers.h"

namespace cursorwire::connect {
namespace {

using test::StatusIs;

constexpr char kSecret[] = "eyJhbGciOiJIUzI1NiJ9.abcdefghijklmnopqrstuvwxyz.0123456789";

TEST(Redactor, TakesSecretsOutOfText) {
  const std::string secret = kSecret;
  const struct {
    const char* name;
    std::string text;
    std::string redacted;
  } cases[] = {
      {"nothing", "", ""},
      {"no secret", "bad token", "bad token"},
      {"all of it", secret, "(redacted)"},
      {"within", "bad token " + secret + "!", "bad token (redacted)!"},
      {"twice", secret + " and " + secret, "(redacted) and (redacted)"},
      {"one after the other", secret + secret, "(redacted)"},
      {"cut at the end", "bad: " + secret.substr(0, 20), "bad: (redacted)"},
      {"cut at the start", secret.substr(30) + " bad", "(redacted) bad"},
      {"a piece of the middle", "[" + secret.substr(10, 16) + "]", "[(redacted)]"},
      {"less than a piece", "[" + secret.substr(10, 15) + "]", "[" + secret.substr(10, 15) + "]"},
      {"the other secret", "p4ssw0rd, hunter2", "(redacted), hunter2"},
      {"a part of a short secret", "p4ssw0r", "p4ssw0r"},
  };
  // The last one is too short to be a secret.
  const Redactor redactor({secret, "p4ssw0rd", "bad"});
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(redactor.Redact(c.text), c.redacted);
    EXPECT_EQ(Redactor().Redact(c.text), c.text);
  }
}

// It was not told of any of these.
TEST(Redactor, TakesOutWhatLooksLikeACredential) {
  const std::string jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl_-";
  const struct {
    const char* name;
    std::string text;
    std::string redacted;
  } cases[] = {
      {"a JSON Web Token", "token=" + jwt + ";", "token=(redacted);"},
      {"cut", jwt.substr(0, 30), "(redacted)"},
      {"bearer", "Authorization: Bearer sk-0123456789abcdef, x",
       "Authorization: Bearer (redacted), x"},
      {"in lower case", "bearer 0123456789abcdef", "bearer (redacted)"},
      {"both", "BEARER " + jwt, "BEARER (redacted)"},
      {"words", "the bearer of the token", "the bearer of the token"},
      {"a short one", "Bearer abc", "Bearer abc"},
      {"base64 of JSON alone", "eyJzdWIiOiIxIn0", "eyJzdWIiOiIxIn0"},
      {"a path", "a/b.c and eyJ", "a/b.c and eyJ"},
      {"not ASCII", "\u00FC Bearer \u00FC", "\u00FC Bearer \u00FC"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Redactor().Redact(c.text), c.redacted);
    EXPECT_EQ(Redactor({kSecret}).Redact(c.text), c.redacted);
  }
  EXPECT_THAT(Redactor().Redact(absl::UnknownError("sent: Bearer 0123456789abcdef")),
              StatusIs(absl::StatusCode::kUnknown, "sent: Bearer (redacted)"));
}

TEST(Redactor, KeepsTheLengthOfBytes) {
  const std::string secret = kSecret;
  const Redactor redactor({secret});
  EXPECT_EQ(redactor.RedactBytes("\x0a\x3a" + secret + "2"),
            "\x0a\x3a" + std::string(secret.size(), 'x') + "2");
  const std::string piece = secret.substr(0, Redactor::kMinPieceBytes);
  EXPECT_EQ(redactor.RedactBytes(piece), std::string(piece.size(), 'x'));
  const std::string other = "Bearer another-token-of-somebody";
  EXPECT_EQ(redactor.RedactBytes(other), other);
}

TEST(Redactor, TakesSecretsOutOfAllTextsOfAStatus) {
  const std::string secret = kSecret;
  const ErrorInfo info{.origin = ErrorOrigin::kServer,
                       .http_status = 401,
                       .unknown_code = "code " + secret,
                       .details = {{.type = "a.B",
                                    .value = "\x0a\x3a" + secret,
                                    .debug_json = "{\"a\":\"" + secret + "\"}"}},
                       .metadata = {{"www-authenticate", "Bearer " + secret}}};
  const absl::Status status = Redactor({secret}).Redact(
      MakeError(absl::StatusCode::kUnauthenticated, "bad " + secret, info));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_EQ(status.message(), "bad (redacted)");
  const auto redacted = GetErrorInfo(status);
  ASSERT_TRUE(redacted);
  EXPECT_EQ(redacted->origin, ErrorOrigin::kServer);
  EXPECT_EQ(redacted->http_status, 401);
  EXPECT_EQ(redacted->unknown_code, "code (redacted)");
  ASSERT_EQ(redacted->details.size(), 1u);
  EXPECT_EQ(redacted->details[0].type, "a.B");
  // Its length stays, since a length stands before it.
  EXPECT_EQ(redacted->details[0].value, "\x0a\x3a" + std::string(secret.size(), 'x'));
  EXPECT_EQ(redacted->details[0].debug_json, R"~({"a":"(redacted)"})~");
  EXPECT_EQ(redacted->metadata, (Headers{{"www-authenticate", "Bearer (redacted)"}}));
}

TEST(Redactor, LeavesAStatusAsItIs) {
  EXPECT_EQ(Redactor({kSecret}).Redact(absl::OkStatus()), absl::OkStatus());
  absl::Status foreign = absl::UnknownError("text");
  foreign.SetPayload("a/b", absl::Cord("payload"));
  EXPECT_EQ(Redactor({kSecret}).Redact(foreign), foreign);
  const absl::Status ours = MakeError(absl::StatusCode::kAborted, "text", {.replay_safe = true});
  EXPECT_EQ(Redactor({kSecret}).Redact(ours), ours);
}

}  // namespace
}  // namespace cursorwire::connect
