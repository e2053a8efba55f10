#ifndef CURSORWIRE_TESTS_STRESS_USERS_H_
#define CURSORWIRE_TESTS_STRESS_USERS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "stress/account.h"
#include "stress/dice.h"
#include "stress/watchdog.h"

namespace cursorwire::test {

// What the users of one channel share.
class Users {
 public:
  Users(Account& account, Watchdog& watchdog) : account_(account), watchdog_(watchdog) {}

  // Makes `calls` calls in all ways there are, on the calling thread. Gives `channel` up after
  // them: the last user destroys it.
  void MakeCalls(std::shared_ptr<connect::Channel> channel, int number, int calls, uint32_t seed);
  // All calls that their users have left. Without it, the end of the channel ends them.
  void CancelAll();
  // Reads the streams to their ends that their users have left.
  void ReadLeftStreams();

 private:
  void MakeOne(const std::shared_ptr<connect::Channel>& channel, const std::string& user,
               Dice& dice);
  void ReadToEnd(connect::Stream& stream, std::string_view what);

  void Unary(const connect::Channel& channel, Dice& dice);
  void Read(const connect::Channel& channel, Dice& dice);
  void ReadSome(const connect::Channel& channel, Dice& dice);
  void ReadAndCancel(const connect::Channel& channel, Dice& dice);
  void Upload(const connect::Channel& channel, Dice& dice);
  void Leave(const connect::Channel& channel, Dice& dice);
  void Observe(const std::shared_ptr<connect::Channel>& channel, Dice& dice);
  void ObserveOnPin(const connect::Channel& channel, Dice& dice);
  void StartCoroutine(const connect::Channel& channel, Dice& dice);

  Account& account_;
  Watchdog& watchdog_;

  std::mutex mutex_;
  std::vector<connect::Stream> left_;
  std::vector<connect::Call> observed_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_STRESS_USERS_H_
