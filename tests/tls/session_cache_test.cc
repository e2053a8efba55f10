#include "tls/session_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cursorwire/connect/tls_options.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "tls/engine.h"
#include "tls/engine_ends.h"

namespace cursorwire::tls {
namespace {

using connect::TlsOptions;
using test::StatusIs;

// A client context and a server context, and connections between them.
class SessionCacheTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const TlsContext> ClientOf(const Identities& identities,
                                                    bool resume_sessions = true) {
    return *TlsContext::Create({.ca_pem = identities.ca_pem, .resume_sessions = resume_sessions});
  }

  static Ends Connect(const TlsContext& client, const ServerContext& server,
                      const std::string& host = kApiHost) {
    Ends ends{.client = *Engine::Connect(ClientContext::From(client), host),
              .server = *Engine::Accept(server)};
    ends.Join();
    return ends;
  }

  static bool Resumes(const TlsContext& client, const ServerContext& server,
                      const std::string& host = kApiHost) {
    const Ends ends = Connect(client, server, host);
    EXPECT_THAT(ends.client_status, IsOk());
    EXPECT_THAT(ends.server_status, IsOk());
    EXPECT_TRUE(ends.client->handshake_done());
    EXPECT_EQ(ends.client->resumed(), ends.server->resumed());
    return ends.client->resumed();
  }

  const Identities identities_ = MakeIdentities("DNS:api.example.test,DNS:other.example.test");
  const ServerContext server_ = *ServerContext::Create(identities_.server);
};

TEST_F(SessionCacheTest, ResumesTheSessionsOfAHost) {
  const auto client = ClientOf(identities_);
  EXPECT_FALSE(Resumes(*client, server_));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Resumes(*client, server_));
  EXPECT_FALSE(Resumes(*client, server_, "other.example.test"));
  EXPECT_TRUE(Resumes(*client, server_, "other.example.test"));
}

TEST_F(SessionCacheTest, CarriesDataInAResumedSession) {
  const auto client = ClientOf(identities_);
  EXPECT_FALSE(Resumes(*client, server_));
  Ends ends = Connect(*client, server_);
  EXPECT_TRUE(ends.client->resumed());
  ASSERT_THAT(ends.client->Write("question"), IsOk());
  ASSERT_THAT(ends.server->Write("answer"), IsOk());
  ends.Join();
  EXPECT_EQ(ends.server_plaintext, "question");
  EXPECT_EQ(ends.client_plaintext, "answer");
  EXPECT_EQ(ends.client->version(), "TLSv1.3");
}

// What a program may do with sessions.
class MapStore final : public connect::TlsSessionStore {
 public:
  void Add(const std::string& key, const std::string& session,
           system_clock::time_point expires) override {
    EXPECT_GT(expires, system_clock::now());
    sessions.emplace_back(key, session);
  }
  std::optional<std::string> Take(const std::string& key) override {
    for (auto at = sessions.end(); at != sessions.begin();) {
      if ((--at)->first != key) continue;
      std::string session = std::move(at->second);
      sessions.erase(at);
      return session;
    }
    return std::nullopt;
  }

  std::vector<std::pair<std::string, std::string>> sessions;
};

TEST_F(SessionCacheTest, ResumesInAnotherContextOverAStore) {
  const auto store = std::make_shared<MapStore>();
  const TlsOptions options = {.ca_pem = identities_.ca_pem, .session_store = store};
  EXPECT_FALSE(Resumes(**TlsContext::Create(options), server_));
  EXPECT_EQ(store->sessions.size(), 2U);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Resumes(**TlsContext::Create(options), server_));
  EXPECT_FALSE(Resumes(**TlsContext::Create(options), server_, "other.example.test"));
  for (const auto& [key, session] : store->sessions) {
    EXPECT_EQ(key.find_first_of("\r\n\""), std::string::npos) << key;
  }
}

// Its certificate may be one that they do not trust.
TEST_F(SessionCacheTest, ResumesNoSessionOfOtherOptions) {
  const auto store = std::make_shared<MapStore>();
  const TlsOptions options = {.ca_pem = identities_.ca_pem, .session_store = store};
  EXPECT_FALSE(Resumes(**TlsContext::Create(options), server_));
  TlsOptions others = options;
  others.min_version = connect::TlsVersion::kTls13;
  EXPECT_FALSE(Resumes(**TlsContext::Create(others), server_));
  others = options;
  others.ca_pem = MakeIdentities().ca_pem;
  EXPECT_THAT(Connect(**TlsContext::Create(others), server_).client_status,
              StatusIs(absl::StatusCode::kUnavailable));
  others.ca_pem += identities_.ca_pem;
  EXPECT_FALSE(Resumes(**TlsContext::Create(others), server_));
  EXPECT_TRUE(Resumes(**TlsContext::Create(options), server_));
}

TEST_F(SessionCacheTest, ShakesHandsAnewWhereAStoreGivesNoise) {
  const auto store = std::make_shared<MapStore>();
  const TlsOptions options = {.ca_pem = identities_.ca_pem, .session_store = store};
  EXPECT_FALSE(Resumes(**TlsContext::Create(options), server_));
  ASSERT_FALSE(store->sessions.empty());
  const auto [key, session] = store->sessions.back();
  for (size_t size = 0; size < session.size(); ++size) {
    store->sessions = {{key, session.substr(0, size)}};
    EXPECT_FALSE(Resumes(**TlsContext::Create(options), server_)) << size;
  }
  // Of another kind at each byte: it resumes or it does not, and either way the connection works.
  for (size_t at = 0; at < session.size(); at += 7) {
    std::string noise = session;
    noise[at] = static_cast<char>(noise[at] ^ 0x41);
    store->sessions = {{key, noise}};
    const Ends ends = Connect(**TlsContext::Create(options), server_);
    EXPECT_TRUE(!ends.client_status.ok() || ends.client->handshake_done()) << at;
  }
}

// The end of a session in a store: seconds, before its bytes.
std::string WithEnd(const std::string& session, system_clock::time_point end) {
  auto count = std::chrono::duration_cast<std::chrono::seconds>(end.time_since_epoch()).count();
  std::string text = session;
  for (size_t i = 8; i-- > 0; count /= 256) text[i] = static_cast<char>(count % 256);
  return text;
}

// Else a server would never have to show a certificate again.
TEST_F(SessionCacheTest, ResumesNoLongerThanItsFirstSession) {
  const auto store = std::make_shared<MapStore>();
  const TlsOptions options = {.ca_pem = identities_.ca_pem, .session_store = store};
  EXPECT_FALSE(Resumes(**TlsContext::Create(options), server_));
  const system_clock::time_point end = system_clock::now() + std::chrono::seconds(100);
  const auto [key, session] = store->sessions.back();
  store->sessions = {{key, WithEnd(session, end)}};
  EXPECT_TRUE(Resumes(**TlsContext::Create(options), server_));
  ASSERT_EQ(store->sessions.size(), 1U);
  const std::string next = store->sessions.back().second;
  EXPECT_EQ(next.substr(0, 8), WithEnd(next, end).substr(0, 8));
  store->sessions = {{key, WithEnd(next, system_clock::now())}};
  EXPECT_FALSE(Resumes(**TlsContext::Create(options), server_));
  store->sessions = {{key, WithEnd(next, system_clock::now() + hours(100))}};  // not one of ours
  EXPECT_FALSE(Resumes(**TlsContext::Create(options), server_));
}

TEST_F(SessionCacheTest, ResumesNoSessionOfOtherRootsOfTheSystem) {
  const test::ScratchFolder folder;
  folder.Write("one", identities_.ca_pem);
  folder.Write("other", MakeIdentities().ca_pem + identities_.ca_pem);
  const auto store = std::make_shared<MapStore>();
  const TlsOptions options = {.session_store = store};
  const auto resumes = [&](const char* roots) {
    ::setenv("SSL_CERT_FILE", folder.At(roots).c_str(), 1);
    const auto context = TlsContext::Create(options);
    ::unsetenv("SSL_CERT_FILE");
    return Resumes(**context, server_);
  };
  EXPECT_FALSE(resumes("one"));
  EXPECT_FALSE(resumes("other"));
  EXPECT_TRUE(resumes("one"));
}

TEST_F(SessionCacheTest, KeepsFewSessionsOfAConnection) {
  const auto store = std::make_shared<MapStore>();
  const auto context = TlsContext::Create({.ca_pem = identities_.ca_pem, .session_store = store});
  RawServer server(identities_.server);
  server.ChooseAlpn("\2h2");
  SSL_CTX_set_num_tickets(server.context(), 20);
  const auto client = Engine::Connect(ClientContext::From(**context), kApiHost);
  EXPECT_THAT(server.Join(**client), IsOk());
  EXPECT_TRUE((*client)->handshake_done());
  EXPECT_EQ(store->sessions.size(), SessionCache::kMaxSessionsOfConnection);
}

// One of TLS 1.2 holds the keys of its connection.
TEST_F(SessionCacheTest, GivesAStoreNoSessionOfTls12) {
  const auto store = std::make_shared<MapStore>();
  const auto context = TlsContext::Create({.ca_pem = identities_.ca_pem, .session_store = store});
  RawServer server(identities_.server);
  server.ChooseAlpn("\2h2");
  SSL_CTX_set_max_proto_version(server.context(), TLS1_2_VERSION);
  const auto client = Engine::Connect(ClientContext::From(**context), kApiHost);
  EXPECT_THAT(server.Join(**client), IsOk());
  EXPECT_EQ((*client)->version(), "TLSv1.2");
  EXPECT_TRUE(store->sessions.empty());
}

TEST_F(SessionCacheTest, PutsASessionBackThatNobodyHasSeen) {
  const auto store = std::make_shared<MapStore>();
  const TlsOptions options = {.ca_pem = identities_.ca_pem, .session_store = store};
  EXPECT_FALSE(Resumes(**TlsContext::Create(options), server_));
  const size_t before = store->sessions.size();
  const auto context = *TlsContext::Create(options);
  {
    const auto client = Engine::Connect(ClientContext::From(*context), kApiHost);
    EXPECT_EQ(store->sessions.size(), before - 1);
    EXPECT_FALSE((*client)->PendingOutput().empty());
  }
  EXPECT_EQ(store->sessions.size(), before);
  {
    const auto client = Engine::Connect(ClientContext::From(*context), kApiHost);
    (*client)->ConsumeOutput(1);
  }
  EXPECT_EQ(store->sessions.size(), before - 1);
  EXPECT_TRUE(Resumes(*context, server_));
}

TEST_F(SessionCacheTest, SharesNothingBetweenContexts) {
  EXPECT_FALSE(Resumes(*ClientOf(identities_), server_));
  EXPECT_FALSE(Resumes(*ClientOf(identities_), server_));
}

TEST_F(SessionCacheTest, ShakesHandsAnewWhereItIsToldTo) {
  const auto client = ClientOf(identities_, false);
  EXPECT_EQ(SessionCache::Of(ClientContext::From(*client).get()), nullptr);
  EXPECT_FALSE(Resumes(*client, server_));
  EXPECT_FALSE(Resumes(*client, server_));
}

TEST_F(SessionCacheTest, VerifiesAServerThatDoesNotKnowTheSession) {
  const auto client = ClientOf(identities_);
  EXPECT_FALSE(Resumes(*client, server_));
  // It was started again: other keys for tickets, the same certificate.
  EXPECT_FALSE(Resumes(*client, *ServerContext::Create(identities_.server)));
  // Another authority vouches for this one.
  const ServerContext stranger = *ServerContext::Create(MakeIdentities().server);
  const Ends ends = Connect(*client, stranger);
  EXPECT_THAT(ends.client_status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(ends.client->handshake_done());
}

TEST_F(SessionCacheTest, UsesNoSessionTwiceAndKeepsTheNewest) {
  SessionCache cache{TlsOptions()};
  EXPECT_EQ(cache.Take("a").session, nullptr);
  SSL_SESSION* last = nullptr;
  for (size_t i = 0; i < SessionCache::kMaxSessions + 3; ++i) {
    OpenSslPtr<SSL_SESSION> session(SSL_SESSION_new());
    last = session.get();
    cache.Add(i == 0 ? "a" : "b",
              {.session = std::move(session), .end = system_clock::now() + hours(1)});
  }
  EXPECT_EQ(cache.Take("a").session, nullptr);  // the oldest
  EXPECT_EQ(cache.Take("b").session.get(), last);
  for (size_t i = 1; i < SessionCache::kMaxSessions; ++i)
    EXPECT_NE(cache.Take("b").session, nullptr);
  EXPECT_EQ(cache.Take("b").session, nullptr);
}

}  // namespace
}  // namespace cursorwire::tls
