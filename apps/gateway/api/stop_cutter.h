#ifndef CURSORWIRE_APPS_GATEWAY_API_STOP_CUTTER_H_
#define CURSORWIRE_APPS_GATEWAY_API_STOP_CUTTER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_gateway {

// Cuts an answer before the first of some texts, at whatever points the answer is split: the one
// that is complete first counts, and of those that end at the same place the longest.
//
// Order: Feed() any number of times until stopped(), then Finish() once. Holds back no more than
// may be the beginning of one of the texts. Takes time that is linear in the answer for each of
// them, whatever they and it are. Thread-compatible.
class StopCutter {
 public:
  // None of `stops` is empty.
  explicit StopCutter(std::vector<std::string> stops);

  // What can be sent now. Nothing once stopped().
  std::string Feed(std::string_view text);
  // The rest of an answer that has ended.
  std::string Finish();

  bool stopped() const { return stopped_; }
  // The text that it was; empty until stopped().
  const std::string& stop() const { return stop_; }

 private:
  struct Stop {
    explicit Stop(std::string stop);
    void Add(char c);

    std::string text;
    size_t met = 0;  // how much of its beginning ends what was fed
    // For each beginning of the text, the longest shorter one that it ends with.
    std::vector<uint32_t> borders;
  };

  std::vector<Stop> stops_;
  std::string held_;
  bool stopped_ = false;
  std::string stop_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_STOP_CUTTER_H_
