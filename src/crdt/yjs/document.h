#ifndef CURSORWIRE_SRC_CRDT_YJS_DOCUMENT_H_
#define CURSORWIRE_SRC_CRDT_YJS_DOCUMENT_H_

#include <absl/container/btree_set.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/text/text_size.h"
#include "crdt/yjs/content.h"
#include "crdt/yjs/id.h"
#include "crdt/yjs/item.h"
#include "crdt/yjs/item_store.h"
#include "crdt/yjs/pending_structs.h"
#include "crdt/yjs/text_list.h"
#include "crdt/yjs/update.h"

namespace cursorwire::yjs {

// How many steps the search for the places of items may take, each past another item: peers who
// write at one place without knowing of each other cost one for each two items of theirs, and could
// make one update cost hours. A step takes 10 ns, up to 1 us in a big document.
struct ScanLimits {
  // What an update may take of the steps that earlier ones have left.
  uint64_t saved = 5'000'000;
  // For each update.
  uint64_t of_update = 10'000;
  // For each of its bytes, which may have been few on their way: at most `saved`.
  uint64_t of_byte = 1;
};

struct DocumentLimits {
  // Of content, and of one update. At most 1 GiB: a TextSize must hold what is shown of
  // it.
  uint64_t max_bytes = uint64_t{1} << 30;
  // Of the names of roots and keys, which are kept for good; each counts twice, and 200.
  uint64_t max_name_bytes = uint64_t{64} << 20;
  // An item takes about 200 bytes beside its content.
  size_t max_items = 5'000'000;
  PendingLimits pending{};
  ScanLimits scan{};
};

// One document: all that its peers wrote, and the texts that its roots are. What is not text is
// kept and sent on, and stands in the texts as U+FFFC.
//
// Updates may come in any order, twice, and overlap. Thread-compatible. Source: docs/collab/yjs.md.
class Document {
 public:
  // A new random number of 32 bits, not 0 (higher ones, below 2^53, are possible).
  using ClientSource = std::function<uint64_t()>;

  // `client`: as of the source, never one that was used before. `new_client` is called when another
  // peer turns out to use the same.
  explicit Document(uint64_t client, ClientSource new_client, const DocumentLimits& limits = {});
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  uint64_t client() const { return client_; }

  // --- What others wrote.

  // Returns whether something has changed. What misses something waits for it, and is tried again
  // with each update. Where it fails, nothing has changed, but for has_applied().
  //   kInvalidArgument    as of ReadUpdate(), and for an item that names a later one of its client
  //   kResourceExhausted  over a limit. Of DocumentLimits::scan: what was too much waits, too,
  //   until
  //                       all steps are saved again, and with it what its client writes. That is
  //                       not told again of a client until nothing of it waits.
  absl::StatusOr<bool> Apply(std::string_view update);
  // Whether the last Apply() has changed something, though it may have failed.
  bool has_applied() const { return changed_; }
  // Too much was waiting, and some of it was dropped: the peers must be asked for what is beyond
  // state_vector(). True until OnSyncAsked().
  bool needs_sync() const { return pending_.overflowed(); }
  void OnSyncAsked() { pending_.ResetOverflowed(); }

  // From now on, changes of others to the text of this root are kept for TakeChanges(). Those of
  // Splice() are not.
  void Watch(std::string_view root) { items_.TextOf(items_.RootOf(root)).Watch(); }
  // No more, and those that were kept are dropped.
  void Unwatch(std::string_view root) { items_.TextOf(items_.RootOf(root)).Unwatch(); }
  std::vector<TextChange> TakeChanges(std::string_view root);

  // --- Texts. A root that nobody has written to is empty.

  std::string Text(std::string_view root) const;
  crdt::TextSize size(std::string_view root) const;

  // Takes `count` units from `at`, and puts `text`, made UTF-8, in their place. Characters of which
  // the range takes a part are taken as a whole; without a range, a place within a character counts
  // as after it. Returns the update for the peers, which is empty where nothing has changed.
  //   kOutOfRange         that is not all within the text, or counted in lines
  //   kResourceExhausted  over a limit
  absl::StatusOr<std::string> Splice(std::string_view root, crdt::Unit unit, uint32_t at,
                                     uint32_t count, std::string_view text);

  // The unit at this place, which goes on to name it while the text changes; nothing at the end.
  std::optional<Id> AnchorAt(std::string_view root, crdt::Unit unit, uint32_t at);
  // Where the unit is, or would be if it were not deleted; with `assoc` below 0, where it ends.
  // Nothing where it is not known, or known no more, or is not in that text.
  std::optional<crdt::TextSize> PositionOf(std::string_view root, const Id& unit, int assoc);

  // --- What peers ask for.

  // Descending.
  StateVector state_vector() const;
  // All that is beyond `theirs`, in any order, and all deletes. What waits is in it as well.
  std::string EncodeState(const StateVector& theirs = {}) const;
  // nullopt: it would be longer than `max_bytes`, which costs no more than to write these.
  std::optional<std::string> EncodeStateWithin(const StateVector& theirs, size_t max_bytes) const;

 private:
  // The items next to a place.
  struct Gap {
    ItemIndex left = kNone;
    ItemIndex right = kNone;
  };

  absl::Status Check(const Update& update, size_t bytes) const;
  absl::Status CheckNames(const Update& update) const;
  void LeaveClientOf(const Update& update);

  void ApplyStructs(const Update& update);
  void Defer(const Id& item);
  bool MayTry(uint64_t client) const;
  std::optional<Id> ApplyFrom(const ClientStructs& of_client, size_t& next);
  void Wait(const ClientStructs& of_client, size_t first);
  void ApplyWaiting();
  void ApplyWaitingOf(uint64_t client);
  std::optional<Id> MissingFor(const Struct& item) const;

  [[nodiscard]] bool Integrate(const Struct& item);
  bool IntegrateItem(const Struct& item, ItemStore::NewItem& made);
  std::optional<Gap> FindNeighbours(const ItemStore::NewItem& made);
  bool FindList(const Gap& gap, const Struct& item, ItemStore::NewItem& made);
  bool HasConflict(const ItemStore::NewItem& made, const Gap& gap) const;
  std::optional<ItemIndex> ScanConflicts(uint64_t client, const ItemStore::NewItem& made,
                                         const Gap& gap);
  void SettleEntry(ItemIndex first, ItemIndex last);

  void ApplyDeletes(const std::vector<ClientDeletes>& deletes);
  void ApplyWaitingDeletes();
  void DeleteRange(uint64_t client, uint64_t clock, uint64_t end);

  ItemIndex ItemBefore(uint32_t list, crdt::Unit unit, uint32_t at);
  ItemIndex DeleteText(uint32_t list, crdt::Unit unit, uint32_t at, uint32_t count,
                       std::vector<ClientDeletes>& deletes);
  void InsertText(uint32_t list, ItemIndex left, std::string_view text, std::string& update);

  uint64_t client_;
  const ClientSource new_client_;
  const DocumentLimits limits_;
  ItemStore items_;
  PendingStructs pending_;
  bool is_rested_ = true;               // all steps were saved before this update
  uint64_t steps_ = 0;                  // that are left for scans
  absl::btree_set<uint64_t> deferred_;  // clients whose next item took too many
  absl::Status deferral_;               // by the update that is applied, of the first new one
  bool changed_ = false;                // by the update that is applied
  std::vector<uint64_t> advanced_;  // clients that it brought something of, or for whom it waits
};

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_DOCUMENT_H_
