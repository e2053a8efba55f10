#include "tls/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/for_each_split.h"
#include "support/sizes.h"
#include "support/status_matchers.h"
#include "tls/engine_ends.h"

namespace cursorwire::tls {
namespace {

using absl::StatusCode;
using test::ForEachSplit;
using test::IsOk;
using test::kMiB;
using test::StatusIs;
using ::testing::HasSubstr;

TEST(Engine, ShakesHandsWithTls13) {
  Ends ends = MakeEnds(MakeIdentities());
  EXPECT_FALSE(ends.client->PendingOutput().empty());
  EXPECT_TRUE(ends.server->PendingOutput().empty());
  EXPECT_FALSE(ends.client->handshake_done());
  EXPECT_FALSE(ends.server->handshake_done());
  ends.Join();
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_THAT(ends.server_status, IsOk());
  EXPECT_TRUE(ends.client->handshake_done());
  EXPECT_TRUE(ends.server->handshake_done());
  EXPECT_EQ(ends.client->version(), "TLSv1.3");
  EXPECT_EQ(ends.server->version(), "TLSv1.3");
  EXPECT_EQ(ends.client_plaintext, "");
  EXPECT_EQ(ends.server_plaintext, "");
  EXPECT_FALSE(ends.client->peer_closed());
  EXPECT_FALSE(ends.server->peer_closed());
}

TEST(Engine, SpeaksTls12WithAServerThatKnowsNoBetter) {
  const Identities identities = MakeIdentities();
  RawServer server(identities.server);
  SSL_CTX_set_max_proto_version(server.context(), TLS1_2_VERSION);
  server.ChooseAlpn("\2h2");
  const std::unique_ptr<Engine> client = Client(identities.ca_pem);
  EXPECT_THAT(server.Join(*client), IsOk());
  EXPECT_TRUE(client->handshake_done());
  EXPECT_EQ(client->version(), "TLSv1.2");
}

TEST(Engine, CarriesDataBothWays) {
  Ends ends = JoinedEnds();
  ASSERT_THAT(ends.client->Write("to the "), IsOk());
  ASSERT_THAT(ends.client->Write("server"), IsOk());
  ASSERT_THAT(ends.server->Write(std::string_view("to\0client", 9)), IsOk());
  EXPECT_THAT(std::string(ends.client->PendingOutput()), ::testing::Not(HasSubstr("server")));
  ends.Join();
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_THAT(ends.server_status, IsOk());
  EXPECT_EQ(ends.server_plaintext, "to the server");
  EXPECT_EQ(ends.client_plaintext, std::string("to\0client", 9));
}

TEST(Engine, WritesNothingForNoBytes) {
  Ends ends = JoinedEnds();
  EXPECT_THAT(ends.client->Write(""), IsOk());
  EXPECT_EQ(ends.client->PendingOutput(), "");
  EXPECT_THAT(ends.server->Receive("", AppendTo(ends.server_plaintext)), IsOk());
}

TEST(Engine, ShakesHandsByteByByte) {
  Ends ends = MakeEnds(MakeIdentities());
  ends.Join(1);
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_THAT(ends.server_status, IsOk());
  EXPECT_TRUE(ends.client->handshake_done());
  EXPECT_TRUE(ends.server->handshake_done());
}

TEST(Engine, ShakesHandsCutAtEveryByte) {
  const Identities identities = MakeIdentities();
  for (size_t cut = 1; cut < 2000; ++cut) {
    SCOPED_TRACE(cut);
    Ends ends = MakeEnds(identities);
    bool was_cut = false;
    for (int flight = 0; flight < 4; ++flight) {
      Engine& from = flight % 2 == 0 ? *ends.client : *ends.server;
      Engine& to = flight % 2 == 0 ? *ends.server : *ends.client;
      const std::string bytes = TakeOutput(from);
      const std::string_view view = bytes;
      was_cut = was_cut || cut < bytes.size();
      ASSERT_THAT(to.Receive(view.substr(0, cut), AppendTo(ends.server_plaintext)), IsOk());
      if (cut < view.size()) {
        ASSERT_THAT(to.Receive(view.substr(cut), AppendTo(ends.server_plaintext)), IsOk());
      }
    }
    ASSERT_TRUE(ends.client->handshake_done());
    ASSERT_TRUE(ends.server->handshake_done());
    if (!was_cut) break;  // after the end of the longest flight
  }
}

TEST(Engine, DecryptsTheSameAtEverySplit) {
  Ends ends = JoinedEnds();
  const auto write = [&] {
    for (const char* text : {"first ", "second ", "third"}) {
      EXPECT_THAT(ends.server->Write(text), IsOk());
    }
    return TakeOutput(*ends.server);
  };
  // Equal plaintexts have ciphertexts of equal length but never of equal bytes, so that only the
  // borders of the pieces are taken from the split.
  const std::string shape = write();
  EXPECT_THAT(ends.client->Receive(shape, AppendTo(ends.client_plaintext)), IsOk());
  EXPECT_EQ(ends.client_plaintext, "first second third");
  ForEachSplit(shape, [&](const std::vector<std::string_view>& pieces) {
    const std::string ciphertext = write();
    ASSERT_EQ(ciphertext.size(), shape.size());
    std::string plaintext;
    size_t at = 0;
    for (std::string_view piece : pieces) {
      ASSERT_THAT(ends.client->Receive(std::string_view(ciphertext).substr(at, piece.size()),
                                       AppendTo(plaintext)),
                  IsOk());
      at += piece.size();
    }
    EXPECT_EQ(plaintext, "first second third");
  });
}

TEST(Engine, GivesDataThatComesWithTheEndOfTheHandshake) {
  Ends ends = MakeEnds(MakeIdentities());
  ASSERT_THAT(ends.server->Receive(TakeOutput(*ends.client), AppendTo(ends.server_plaintext)),
              IsOk());
  ASSERT_THAT(ends.client->Receive(TakeOutput(*ends.server), AppendTo(ends.client_plaintext)),
              IsOk());
  ASSERT_TRUE(ends.client->handshake_done());
  ASSERT_FALSE(ends.server->handshake_done());
  ASSERT_THAT(ends.client->Write("early bird"), IsOk());
  ASSERT_THAT(ends.server->Receive(TakeOutput(*ends.client), AppendTo(ends.server_plaintext)),
              IsOk());
  EXPECT_TRUE(ends.server->handshake_done());
  EXPECT_EQ(ends.server_plaintext, "early bird");
}

TEST(Engine, AppendsToWhatThePlaintextHolds) {
  Ends ends = JoinedEnds();
  ASSERT_THAT(ends.client->Write("new"), IsOk());
  std::string plaintext = "old ";
  ASSERT_THAT(ends.server->Receive(TakeOutput(*ends.client), AppendTo(plaintext)), IsOk());
  EXPECT_EQ(plaintext, "old new");
}

TEST(Engine, CarriesALargeWriteWhole) {
  const std::string large = Pattern(kMiB);
  for (const size_t piece_bytes : {kWhole, size_t{1000}, size_t{16 * 1024}}) {
    SCOPED_TRACE(piece_bytes);
    Ends ends = JoinedEnds();
    ASSERT_THAT(ends.client->Write(large), IsOk());
    ASSERT_THAT(ends.server->Write(large), IsOk());
    ends.Join(piece_bytes);
    EXPECT_THAT(ends.client_status, IsOk());
    EXPECT_THAT(ends.server_status, IsOk());
    EXPECT_TRUE(ends.server_plaintext == large);  // no EXPECT_EQ: it would print 1 MiB
    EXPECT_TRUE(ends.client_plaintext == large);
  }
}

TEST(Engine, KeepsTheOutputThatWasNotConsumed) {
  Ends ends = JoinedEnds();
  ASSERT_THAT(ends.client->Write("one "), IsOk());
  const std::string first(ends.client->PendingOutput());
  ASSERT_GT(first.size(), 10u);
  ends.client->ConsumeOutput(0);
  EXPECT_EQ(ends.client->PendingOutput(), first);
  ends.client->ConsumeOutput(10);
  EXPECT_EQ(ends.client->PendingOutput(), first.substr(10));
  // More is written after it.
  ASSERT_THAT(ends.client->Write("two"), IsOk());
  const std::string rest(ends.client->PendingOutput());
  EXPECT_EQ(rest.substr(0, first.size() - 10), first.substr(10));
  EXPECT_GT(rest.size(), first.size() - 10);
  EXPECT_THAT(ends.server->Receive(first.substr(0, 10), AppendTo(ends.server_plaintext)), IsOk());
  EXPECT_EQ(ends.server_plaintext, "");
  for (const char byte : rest) {
    ASSERT_THAT(ends.server->Receive(std::string_view(&byte, 1), AppendTo(ends.server_plaintext)),
                IsOk());
    ends.client->ConsumeOutput(1);
  }
  EXPECT_EQ(ends.server_plaintext, "one two");
  EXPECT_EQ(ends.client->PendingOutput(), "");
  // Consuming more than there is consumes what there is, and nothing of what comes later.
  ends.client->ConsumeOutput(100);
  ASSERT_THAT(ends.client->Write(" three"), IsOk());
  ends.Join();
  EXPECT_EQ(ends.server_plaintext, "one two three");
}

TEST(Engine, TellsWhenThePeerClosed) {
  Ends ends = JoinedEnds();
  ASSERT_THAT(ends.client->Write("last words"), IsOk());
  ends.client->Close();
  const std::string bytes = TakeOutput(*ends.client);
  // Not before its last byte.
  ASSERT_THAT(ends.server->Receive(std::string_view(bytes).substr(0, bytes.size() - 1),
                                   AppendTo(ends.server_plaintext)),
              IsOk());
  EXPECT_EQ(ends.server_plaintext, "last words");
  EXPECT_FALSE(ends.server->peer_closed());
  ASSERT_THAT(ends.server->Receive(std::string_view(bytes).substr(bytes.size() - 1),
                                   AppendTo(ends.server_plaintext)),
              IsOk());
  EXPECT_TRUE(ends.server->peer_closed());
  EXPECT_FALSE(ends.client->peer_closed());
  ends.server->Close();
  ends.Join();
  EXPECT_THAT(ends.client_status, IsOk());
  EXPECT_TRUE(ends.client->peer_closed());
}

TEST(Engine, ClosesOnceAndOnlyBehindTheHandshake) {
  Ends ends = MakeEnds(MakeIdentities());
  const std::string hello(ends.client->PendingOutput());
  ends.client->Close();
  EXPECT_EQ(ends.client->PendingOutput(), hello);
  ends.Join();
  ASSERT_TRUE(ends.client->handshake_done());
  ends.client->Close();
  EXPECT_FALSE(TakeOutput(*ends.client).empty());
  ends.client->Close();
  EXPECT_EQ(ends.client->PendingOutput(), "");
  EXPECT_THAT(ends.client->Write("too late"), StatusIs(StatusCode::kUnavailable));
}

}  // namespace
}  // namespace cursorwire::tls
