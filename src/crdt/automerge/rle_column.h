#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_RLE_COLUMN_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_RLE_COLUMN_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"

namespace cursorwire::automerge {

// Columns of changes and documents: docs/collab/automerge.md, "Columns". A value of a row may be
// missing, which the format calls null; after the end of a column all are.

// Reads a column of uint64_t, int64_t or std::string_view, run-length encoded.
//
// Memory: none, whatever lengths the bytes claim. The bytes must outlive it and its values.
// Thread-compatible.
template <typename T>
class RleReader {
 public:
  RleReader() = default;
  explicit RleReader(std::string_view bytes) : bytes_(bytes) {}

  // The value of the next row.
  std::optional<T> Next() {
    if (left_ == 0 && !StartRun()) {
      value_.reset();
      return std::nullopt;
    }
    --left_;
    if (run_ == Run::kLiteral) value_ = Read();
    return value_;
  }
  // How many of the next rows have the value of the last one; some of them, where that is told in
  // several runs.
  uint64_t SameLeft() const {
    if (run_ == Run::kLiteral) return 0;
    if (left_ == 0) return at_end() && !value_ ? kEndless : 0;
    return left_;
  }
  // Goes over at most SameLeft() rows.
  void SkipSame(uint64_t rows) {
    if (left_ != 0) left_ -= rows;
  }
  // Goes over rows of any value, and calls `visit(value, rows)` with those of each run.
  template <typename Visit>
  void SkipRows(uint64_t rows, Visit visit) {
    while (rows > 0 && (left_ != 0 || StartRun())) {
      if (run_ == Run::kLiteral) value_ = Read();
      const uint64_t some = run_ == Run::kLiteral ? 1 : std::min(rows, left_);
      visit(value_, some);
      left_ -= std::min(left_, some);
      rows -= some;
    }
  }
  // How many of the next rows have this value, as far as one run says.
  uint64_t RowsWith(const T& value) {
    if (left_ == 0 && !StartRun()) return 0;
    return run_ == Run::kRepeated && value_ == value ? left_ : 0;
  }
  // True once all rows were read that the bytes have.
  bool at_end() const { return left_ == 0 && bytes_.empty(); }
  // The bytes are no such column, as far as they were read.
  bool failed() const { return bytes_.failed(); }

 private:
  enum class Run : uint8_t { kRepeated, kLiteral };
  static constexpr uint64_t kEndless = UINT64_MAX;

  // False at the end.
  bool StartRun() {
    if (bytes_.empty()) return false;
    const int64_t length = bytes_.TakeInt();
    run_ = length < 0 ? Run::kLiteral : Run::kRepeated;
    if (length > 0) {
      left_ = static_cast<uint64_t>(length);
      value_ = Read();
    } else if (length < 0) {
      left_ = ~static_cast<uint64_t>(length) + 1;
    } else {
      left_ = bytes_.TakeUint();
      value_ = std::nullopt;
      if (left_ == 0) bytes_.Fail();
    }
    if (bytes_.failed()) left_ = 0;
    return left_ != 0;
  }

  std::optional<T> Read() {
    T value;
    if constexpr (std::is_same_v<T, uint64_t>) {
      value = bytes_.TakeUint();
    } else if constexpr (std::is_same_v<T, int64_t>) {
      value = bytes_.TakeInt();
    } else {
      value = bytes_.TakeString();
    }
    if (!bytes_.failed()) return value;
    left_ = 0;
    return std::nullopt;
  }

  crdt::ByteReader bytes_;
  uint64_t left_ = 0;  // rows of this run
  Run run_ = Run::kRepeated;
  std::optional<T> value_;
};

// Writes such a column in its only canonical form: no two adjacent literals, no literal of two
// equal values, no two runs of one value.
template <typename T>
class RleWriter {
 public:
  void Append(const std::optional<T>& value, uint64_t rows = 1) {
    if (count_ != 0 && value == last_) {
      count_ += rows;
      return;
    }
    FinishRun();
    last_ = value;
    count_ = rows;
  }

  // What was appended since the last time; empty if that was nothing but nulls. The view is valid
  // until the next Append().
  std::string_view Finish() {
    if (out_.empty() && literals_ == 0) {
      if (!last_) count_ = 0;  // nulls alone
      if (count_ == 1) {       // the shorter way for what most columns are
        crdt::AppendInt(out_, -1);
        Write(out_);
        count_ = 0;
        return out_;
      }
    }
    FinishRun();
    FinishLiterals();
    return out_;
  }

  void Clear() {
    out_.clear();
    count_ = 0;
    last_.reset();
  }

 private:
  void FinishRun() {
    if (count_ == 0) return;
    if (!last_) {
      FinishLiterals();
      crdt::AppendInt(out_, 0);
      crdt::AppendUint(out_, count_);
    } else if (count_ > 1) {
      FinishLiterals();
      crdt::AppendInt(out_, static_cast<int64_t>(count_));
      Write(out_);
    } else {
      ++literals_;
      Write(literal_bytes_);
    }
    count_ = 0;
  }

  void FinishLiterals() {
    if (literals_ == 0) return;
    crdt::AppendInt(out_, -literals_);
    out_ += literal_bytes_;
    literals_ = 0;
    literal_bytes_.clear();
  }

  void Write(std::string& out) const {
    if constexpr (std::is_same_v<T, uint64_t>) {
      crdt::AppendUint(out, *last_);
    } else if constexpr (std::is_same_v<T, int64_t>) {
      crdt::AppendInt(out, *last_);
    } else {
      crdt::AppendString(out, *last_);
    }
  }

  std::string out_;
  std::string literal_bytes_;
  int64_t literals_ = 0;  // values in literal_bytes_
  uint64_t count_ = 0;    // rows with last_
  std::optional<T> last_;
};

// A column of numbers, each written as the difference to the number before it (nulls left out),
// which is 0 in front of the first.
class DeltaReader {
 public:
  DeltaReader() = default;
  explicit DeltaReader(std::string_view bytes) : differences_(bytes) {}

  std::optional<int64_t> Next() {
    const std::optional<int64_t> difference = differences_.Next();
    if (!difference) return std::nullopt;
    // Wraps where a stranger's sum is too large for 64 bits.
    value_ =
        static_cast<int64_t>(static_cast<uint64_t>(value_) + static_cast<uint64_t>(*difference));
    return value_;
  }
  // How many of the next values are each greater by 1 than the one before, as far as one run says.
  uint64_t StepsLeft() { return differences_.RowsWith(1); }
  void SkipRows(uint64_t rows) {
    differences_.SkipRows(rows, [this](const std::optional<int64_t>& difference, uint64_t some) {
      value_ = static_cast<int64_t>(static_cast<uint64_t>(value_) +
                                    static_cast<uint64_t>(difference.value_or(0)) * some);
    });
  }
  bool at_end() const { return differences_.at_end(); }
  bool failed() const { return differences_.failed(); }

 private:
  RleReader<int64_t> differences_;
  int64_t value_ = 0;
};

class DeltaWriter {
 public:
  // `rows` values, each greater than the one before by `step`.
  void AppendSteps(int64_t first, int64_t step, uint64_t rows) {
    Append(first);
    if (rows == 1) return;
    differences_.Append(step, rows - 1);
    value_ += step * static_cast<int64_t>(rows - 1);
  }
  void Append(const std::optional<int64_t>& value) {
    if (!value) return differences_.Append(std::nullopt);
    const uint64_t difference = static_cast<uint64_t>(*value) - static_cast<uint64_t>(value_);
    differences_.Append(static_cast<int64_t>(difference));
    value_ = *value;
  }
  std::string_view Finish() { return differences_.Finish(); }
  void Clear() {
    differences_.Clear();
    value_ = 0;
  }

 private:
  RleWriter<int64_t> differences_;
  int64_t value_ = 0;
};

// A column of booleans: lengths of runs, the first of them of false. After its end all are false.
class BooleanReader {
 public:
  BooleanReader() = default;
  explicit BooleanReader(std::string_view bytes) : bytes_(bytes) {}

  bool Next() {
    while (left_ == 0) {
      if (bytes_.empty()) return value_ = false;
      left_ = bytes_.TakeUint();
      value_ = started_ && !value_;
      // Only the first run may be of no rows.
      if (left_ == 0 && started_) bytes_.Fail();
      started_ = true;
    }
    --left_;
    return value_;
  }
  // As those of RleReader.
  uint64_t SameLeft() const {
    if (left_ == 0) return bytes_.empty() && !value_ ? UINT64_MAX : 0;
    return left_;
  }
  void SkipSame(uint64_t rows) {
    if (left_ != 0) left_ -= rows;
  }
  bool at_end() const { return left_ == 0 && bytes_.empty(); }
  bool failed() const { return bytes_.failed(); }

 private:
  crdt::ByteReader bytes_;
  uint64_t left_ = 0;
  bool value_ = false;
  bool started_ = false;
};

class BooleanWriter {
 public:
  void Append(bool value, uint64_t rows = 1) {
    if (value != value_) {
      crdt::AppendUint(out_, count_);
      count_ = 0;
      value_ = value;
    }
    count_ += rows;
  }
  // Also where all of it is false.
  std::string_view Finish() {
    if (count_ != 0) crdt::AppendUint(out_, count_);
    count_ = 0;
    return out_;
  }
  // Nothing of it is true.
  bool all_false() const { return !value_ && out_.empty(); }
  void Clear() {
    out_.clear();
    count_ = 0;
    value_ = false;
  }

 private:
  std::string out_;
  uint64_t count_ = 0;
  bool value_ = false;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_RLE_COLUMN_H_
