#include "crdt/text/version_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace cursorwire::crdt {
namespace {

using VersionRanges = std::vector<VersionMap::Range>;

// The same, character by character.
class NaiveVersionMap {
 public:
  explicit NaiveVersionMap(uint32_t length) {
    for (uint32_t i = 0; i < length; ++i) present_.push_back(i);
  }

  void OnReplaced(uint32_t at, uint32_t deleted, uint32_t inserted) {
    at = std::min(at, length());
    for (deleted = std::min(deleted, length() - at); deleted > 0; --deleted) {
      const bool had_any = HasAny();
      present_.erase(present_.begin() + at);
      if (had_any && !HasAny()) gone_at_ = at;
      if (!had_any && at < gone_at_) --gone_at_;
    }
    for (; inserted > 0; --inserted) {
      present_.insert(present_.begin() + at, kNew);
      if (at < gone_at_) ++gone_at_;
    }
  }

  uint32_t length() const { return static_cast<uint32_t>(present_.size()); }

  uint32_t PlaceOf(uint32_t place) const {
    if (!HasAny()) return gone_at_;
    for (uint32_t i = length(); i > 0; --i) {
      if (present_[i - 1] != kNew && present_[i - 1] < place) return i;
    }
    for (uint32_t i = 0;; ++i) {
      if (present_[i] != kNew) return i;
    }
  }

  VersionRanges RangesOf(uint32_t at, uint32_t count) const {
    VersionRanges ranges;
    bool open = false;
    for (uint32_t i = 0; i < length(); ++i) {
      const uint32_t id = present_[i];
      const bool within = id != kNew && id >= at && id - at < count;
      if (within && open) ++ranges.back().count;
      if (within && !open) ranges.push_back({i, 1});
      open = within;
    }
    return ranges;
  }

 private:
  static constexpr uint32_t kNew = std::numeric_limits<uint32_t>::max();

  bool HasAny() const {
    return std::any_of(present_.begin(), present_.end(), [](uint32_t id) { return id != kNew; });
  }

  uint32_t gone_at_ = 0;
  std::vector<uint32_t> present_;  // former places, or kNew
};

TEST(VersionMap, StartsAsTheTextItself) {
  const VersionMap map(5);
  EXPECT_EQ(map.length(), 5u);
  for (uint32_t place = 0; place <= 5; ++place) EXPECT_EQ(map.PlaceOf(place), place);
  EXPECT_EQ(map.PlaceOf(100), 5u);
  EXPECT_EQ(map.RangesOf(1, 3), (VersionRanges{{1, 3}}));
  EXPECT_EQ(map.RangesOf(3, 100), (VersionRanges{{3, 2}}));
  EXPECT_EQ(map.RangesOf(100, 1), VersionRanges{});
  EXPECT_EQ(map.RangesOf(2, 0), VersionRanges{});
}

TEST(VersionMap, PlacesTextBehindTheCharacterThatWasInFront) {
  VersionMap map(6);        // abcdef
  map.OnReplaced(2, 0, 3);  // abXXXcdef
  EXPECT_EQ(map.PlaceOf(2), 2u);
  EXPECT_EQ(map.PlaceOf(3), 6u);
  map.OnReplaced(1, 5, 0);  // adef
  EXPECT_EQ(map.PlaceOf(3), 1u);
  EXPECT_EQ(map.PlaceOf(2), 1u);
  EXPECT_EQ(map.PlaceOf(1), 1u);
  EXPECT_EQ(map.PlaceOf(4), 2u);
}

TEST(VersionMap, PlacesTextInFrontOfTheNextCharacterIfNoneIsLeftInFront) {
  VersionMap map(3);        // abc
  map.OnReplaced(0, 2, 4);  // XXXXc
  EXPECT_EQ(map.PlaceOf(0), 4u);
  EXPECT_EQ(map.PlaceOf(2), 4u);
  EXPECT_EQ(map.PlaceOf(3), 5u);
}

TEST(VersionMap, PlacesTextWhereTheLastOfTheFormerTextWas) {
  VersionMap map(3);        // abc
  map.OnReplaced(1, 0, 2);  // aXXbc
  map.OnReplaced(3, 2, 1);  // aXXX
  map.OnReplaced(1, 0, 4);  // aXXXXXXX
  map.OnReplaced(0, 1, 0);  // XXXXXXX
  for (uint32_t place = 0; place <= 4; ++place) EXPECT_EQ(map.PlaceOf(place), 0u);
  map.OnReplaced(0, 0, 2);  // behind that place
  EXPECT_EQ(map.PlaceOf(1), 0u);

  VersionMap late(2);        // ab
  late.OnReplaced(0, 0, 3);  // XXXab
  late.OnReplaced(3, 2, 2);  // XXX|YY
  EXPECT_EQ(late.PlaceOf(0), 3u);
  late.OnReplaced(0, 1, 5);  // ZZZZZXX|YY
  EXPECT_EQ(late.PlaceOf(0), 7u);
  late.OnReplaced(6, 2, 9);  // ZZZZZX|WWWWWWWWWY
  EXPECT_EQ(late.PlaceOf(2), 6u);
  EXPECT_EQ(late.RangesOf(0, 2), VersionRanges{});
}

TEST(VersionMap, FollowsAnEmptyText) {
  VersionMap map(0);
  EXPECT_EQ(map.PlaceOf(0), 0u);
  map.OnReplaced(0, 0, 5);
  EXPECT_EQ(map.length(), 5u);
  EXPECT_EQ(map.PlaceOf(3), 0u);
  EXPECT_EQ(map.RangesOf(0, 5), VersionRanges{});
}

TEST(VersionMap, JoinsRangesThatAreAdjacentNow) {
  VersionMap map(10);
  map.OnReplaced(4, 2, 0);
  EXPECT_EQ(map.RangesOf(0, 10), (VersionRanges{{0, 8}}));
  EXPECT_EQ(map.RangesOf(3, 4), (VersionRanges{{3, 2}}));
  map.OnReplaced(4, 0, 1);
  EXPECT_EQ(map.RangesOf(0, 10), (VersionRanges{{0, 4}, {5, 4}}));
  EXPECT_EQ(map.RangesOf(4, 2), VersionRanges{});
}

TEST(VersionMap, ClampsPlacesAndLengths) {
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  VersionMap map(4);
  map.OnReplaced(100, 100, 1);  // at the end
  EXPECT_EQ(map.length(), 5u);
  EXPECT_EQ(map.PlaceOf(4), 4u);
  map.OnReplaced(2, kMost, 0);
  EXPECT_EQ(map.length(), 2u);
  map.OnReplaced(1, 0, kMost);
  EXPECT_EQ(map.length(), kMost);
  EXPECT_EQ(map.RangesOf(0, kMost), (VersionRanges{{0, 1}, {kMost - 1, 1}}));
  map.OnReplaced(1, 0, 1);
  EXPECT_EQ(map.length(), kMost);
  map.OnReplaced(1, kMost - 2, 0);
  EXPECT_EQ(map.RangesOf(0, 4), (VersionRanges{{0, 2}}));

  VersionMap whole(kMost);
  whole.OnReplaced(kMost, 1, 1);
  whole.OnReplaced(kMost - 1, 1, 0);
  EXPECT_EQ(whole.PlaceOf(kMost), kMost - 1);
  EXPECT_EQ(whole.RangesOf(kMost - 2, kMost), (VersionRanges{{kMost - 2, 1}}));
}

TEST(VersionMap, AgreesWithCharactersOneByOne) {
  std::mt19937 random(1);
  const auto below = [&random](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  for (int script = 0; script < 2000; ++script) {
    SCOPED_TRACE(script);
    const uint32_t length = below(30);
    VersionMap map(length);
    NaiveVersionMap naive(length);
    for (uint32_t left = below(25); left > 0; --left) {
      // Also beyond the end, and nothing at all.
      const uint32_t at = below(naive.length() + 3);
      const uint32_t deleted = below(3) == 0 ? 0 : below(6);
      const uint32_t inserted = below(3) == 0 ? 0 : below(6);
      map.OnReplaced(at, deleted, inserted);
      naive.OnReplaced(at, deleted, inserted);
      ASSERT_EQ(map.length(), naive.length());
      for (uint32_t place = 0; place <= length + 1; ++place) {
        ASSERT_EQ(map.PlaceOf(place), naive.PlaceOf(place)) << place;
      }
      const uint32_t from = below(length + 2);
      for (uint32_t count = 0; from + count <= length + 1; ++count) {
        ASSERT_EQ(map.RangesOf(from, count), naive.RangesOf(from, count)) << from << " " << count;
      }
    }
  }
}

TEST(VersionMap, FollowsManyChangesAtOnceAsOneByOne) {
  std::mt19937 random(2);
  const auto below = [&random](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  for (int script = 0; script < 2000; ++script) {
    SCOPED_TRACE(script);
    const uint32_t length = below(40);
    VersionMap map(length);
    VersionMap single(length);
    for (uint32_t left = 1 + below(5); left > 0; --left) {
      VersionMap change(map.length());
      for (uint32_t steps = below(6); steps > 0; --steps) {
        const uint32_t at = below(change.length() + 3);
        const uint32_t deleted = below(3) == 0 ? 0 : below(6);
        const uint32_t inserted = below(3) == 0 ? 0 : below(6);
        change.OnReplaced(at, deleted, inserted);
        single.OnReplaced(at, deleted, inserted);
      }
      map.OnChanged(change);
      ASSERT_EQ(map.length(), single.length());
      const VersionRanges ranges = map.RangesOf(0, length);
      ASSERT_EQ(ranges, single.RangesOf(0, length));
      for (uint32_t place = 0; place <= length + 1; ++place) {
        ASSERT_EQ(map.RangesOf(place, 3), single.RangesOf(place, 3));
        if (ranges.empty()) {
          ASSERT_LE(map.PlaceOf(place), map.length());
        } else {
          ASSERT_EQ(map.PlaceOf(place), single.PlaceOf(place)) << place;
        }
      }
    }
  }
}

TEST(VersionMap, ForgetsTheShortestPiecesOfManyChangesAtOnce) {
  constexpr auto kMost = static_cast<uint32_t>(VersionMap::kMaxRuns);
  // Pieces of 1, 2 and 3 characters by turns: of kMost + 2, the first two of 1 go.
  VersionMap change(2 * (kMost + 2));
  VersionMap map(change.length());
  for (uint32_t half = 0, at = 0; half < 2; ++half) {
    for (uint32_t piece = 0; piece < kMost / 2 + 1; ++piece) {
      at += 1 + piece % 3;
      change.OnReplaced(at, 0, 1);
      ++at;
    }
    map.OnChanged(change);
    change = VersionMap(map.length());
  }
  const VersionRanges left = map.RangesOf(0, 2 * (kMost + 2));
  EXPECT_LE(left.size(), kMost);
  EXPECT_GE(left.size(), kMost - 2);
  EXPECT_EQ(left[0], (VersionMap::Range{2, 2}));
  EXPECT_EQ(left[1], (VersionMap::Range{5, 3}));
  EXPECT_EQ(left[2], (VersionMap::Range{11, 2}));
}

TEST(VersionMap, MakesOnePieceOfTwoWhenAnInsertionIsTakenBack) {
  constexpr auto kMost = static_cast<uint32_t>(VersionMap::kMaxRuns);
  VersionMap map(kMost + 10);
  for (uint32_t at = 1; at < kMost + 10; ++at) {
    map.OnReplaced(at, 0, 1);
    map.OnReplaced(at, 1, 0);
  }
  // Else there would have been too many of them.
  EXPECT_EQ(map.RangesOf(0, kMost + 10), (VersionRanges{{0, kMost + 10}}));
}

TEST(VersionMap, ForgetsTheShortestPieceBeyondItsBound) {
  // Pieces of 2 characters with one inserted behind each; but the one numbered kShort has only 1.
  constexpr auto kMost = static_cast<uint32_t>(VersionMap::kMaxRuns);
  constexpr uint32_t kShort = 1000;
  constexpr uint32_t kLength = 2 * (kMost + 1) - 1;
  const auto former_at = [](uint32_t piece) { return 2 * piece - (piece > kShort ? 1 : 0); };
  VersionMap map(kLength);
  for (uint32_t piece = 1; piece < kMost; ++piece)
    map.OnReplaced(former_at(piece) + piece - 1, 0, 1);
  EXPECT_EQ(map.RangesOf(0, kLength).size(), kMost);
  EXPECT_EQ(map.RangesOf(former_at(kShort), 1), (VersionRanges{{3 * kShort, 1}}));

  map.OnReplaced(former_at(kMost) + kMost - 1, 0, 1);
  const VersionRanges left = map.RangesOf(0, kLength);
  ASSERT_EQ(left.size(), kMost);
  EXPECT_EQ(map.length(), kLength + kMost);
  EXPECT_EQ(map.RangesOf(former_at(kShort), 1), VersionRanges{});
  // Its text is still there, and what is in front and behind is where it was.
  EXPECT_EQ(left[kShort - 1], (VersionMap::Range{3 * (kShort - 1), 2}));
  EXPECT_EQ(left[kShort], (VersionMap::Range{3 * (kShort + 1) - 1, 2}));
  EXPECT_EQ(map.PlaceOf(former_at(kShort + 1)), 3 * (kShort - 1) + 2);
  EXPECT_EQ(left.back(), (VersionMap::Range{kLength + kMost - 2, 2}));
}

}  // namespace
}  // namespace cursorwire::crdt
