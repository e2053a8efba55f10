#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_ACTOR_TABLE_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_ACTOR_TABLE_H_

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "crdt/automerge/operation.h"

namespace cursorwire::automerge {

// The actors of a document, numbered as they come, each with the text that it has written, in the
// order in which it came. Thread-compatible.
class ActorTable {
 public:
  size_t size() const { return actors_.size(); }

  // Adds an actor that is not there yet.
  uint32_t IndexOf(std::string_view id) {
    if (const std::optional<uint32_t> index = Find(id)) return *index;
    const auto index = static_cast<uint32_t>(actors_.size());
    actors_.push_back({std::string(id), {}, {}});
    indexes_.emplace(std::string(id), index);
    return index;
  }
  std::optional<uint32_t> Find(std::string_view id) const {
    const auto place = indexes_.find(ToAbsl(id));
    return place == indexes_.end() ? std::nullopt : std::optional(place->second);
  }
  // Takes the last one away, which nothing may refer to.
  void DropLast() {
    indexes_.erase(ToAbsl(actors_.back().id));
    actors_.pop_back();
  }
  // All texts begin anew; then either the new ones stay, or the old ones come back.
  void SetTextsAside() {
    for (Actor& actor : actors_) actor.aside = std::exchange(actor.text, {});
  }
  void DropTextsAside() {
    for (Actor& actor : actors_) actor.aside = {};
  }
  void RestoreTexts() {
    for (Actor& actor : actors_) actor.text = std::exchange(actor.aside, {});
  }
  std::string_view id(uint32_t actor) const { return actors_[actor].id; }

  // Only grows.
  std::string& text(uint32_t actor) { return actors_[actor].text; }
  const std::string& text(uint32_t actor) const { return actors_[actor].text; }

  // Whether `a` is less in the order of ids, on which all peers agree.
  bool IsLess(const OpId& a, const OpId& b) const {
    if (a.counter != b.counter) return a.counter < b.counter;
    return a.actor != b.actor && id(a.actor) < id(b.actor);
  }

 private:
  struct Actor {
    std::string id;
    std::string text;
    std::string aside{};
  };

  std::deque<Actor> actors_;
  absl::flat_hash_map<std::string, uint32_t> indexes_;
};

// The order of ids, for containers.
struct IdLess {
  const ActorTable* actors;
  bool operator()(const OpId& a, const OpId& b) const { return actors->IsLess(a, b); }
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_ACTOR_TABLE_H_
