#include "collab/cbor/cbor.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <cbor.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace cursorwire::collab {
namespace {

constexpr int64_t kLargestInteger = int64_t{1} << 32;  // above, JavaScript's peers write floats
constexpr uint64_t kLargestSigned = std::numeric_limits<int64_t>::max();

// Puts the items together that libcbor finds, without going down as deep as they nest.
class Builder {
 public:
  explicit Builder(const CborLimits& limits) : limits_(limits) {}

  bool done() const { return root_.has_value(); }
  const absl::Status& status() const { return status_; }
  CborValue TakeRoot() { return *std::exchange(root_, std::nullopt); }

  void Add(CborValue value) {
    if (!Count()) return;
    Complete(std::move(value));
  }

  // An array or a map, or a string in pieces. Without `count`: until Break().
  enum class Kind : uint8_t { kArray, kMap, kText, kBytes };
  void Begin(Kind kind, std::optional<uint64_t> count) {
    if (!Count()) return;
    if (open_.size() >= limits_.max_depth) {
      return Exhausted(absl::StrCat("CBOR is nested deeper than ", limits_.max_depth));
    }
    open_.push_back({.kind = kind, .left = count});
    if (count == uint64_t{0}) Close();
  }
  void Break() {
    if (!status_.ok()) return;
    if (open_.empty() || open_.back().left || open_.back().key)
      return Fail("a break without a start");
    Close();
  }
  void AddString(Kind kind, std::string_view bytes) {
    // A piece of one that came in pieces.
    if (!open_.empty() && IsString(open_.back().kind)) {
      if (open_.back().kind != kind) return Fail("pieces of two kinds in one string");
      open_.back().string += bytes;
      return;
    }
    AddWhole(kind, std::string(bytes));
  }

 private:
  struct Open {
    Kind kind = Kind::kArray;
    std::optional<uint64_t> left{};  // of the members
    CborValue::Array array{};
    CborValue::Map map{};
    std::optional<CborValue> key{};
    std::string string{};
  };

  static bool IsString(Kind kind) { return kind == Kind::kText || kind == Kind::kBytes; }

  void AddWhole(Kind kind, std::string string) {
    if (kind == Kind::kBytes) return Add(CborValue(CborValue::Bytes{std::move(string)}));
    if (!IsUtf8(string)) return Fail("a text that is not UTF-8");
    Add(CborValue(std::move(string)));
  }

  bool Count() {
    if (!status_.ok()) return false;
    if (root_) {
      Fail("more than one item");
      return false;
    }
    if (++items_ <= limits_.max_items) return true;
    Exhausted(absl::StrCat("CBOR has more than ", limits_.max_items, " items"));
    return false;
  }

  void Complete(CborValue value) {
    for (;;) {
      if (open_.empty()) {
        root_ = std::move(value);
        return;
      }
      Open& open = open_.back();
      if (IsString(open.kind)) return Fail("a string with a piece that is none");
      if (open.kind == Kind::kArray) {
        open.array.push_back(std::move(value));
      } else if (!open.key) {
        open.key = std::move(value);
        return;
      } else {
        open.map.emplace_back(*std::move(open.key), std::move(value));
        open.key.reset();
      }
      if (!open.left || --*open.left > 0) return;
      value = TakeOpen();
    }
  }

  void Close() {
    if (IsString(open_.back().kind)) {
      const Kind kind = open_.back().kind;
      std::string string = std::move(open_.back().string);
      open_.pop_back();
      --items_;  // counted when it began
      return AddWhole(kind, std::move(string));
    }
    Complete(TakeOpen());
  }

  CborValue TakeOpen() {
    Open open = std::move(open_.back());
    open_.pop_back();
    if (open.kind == Kind::kArray) return CborValue(std::move(open.array));
    return CborValue(std::move(open.map));
  }

  void Fail(std::string_view what) {
    status_ = absl::InvalidArgumentError(absl::StrCat("CBOR: ", ToAbsl(what)));
  }
  void Exhausted(std::string_view what) { status_ = absl::ResourceExhaustedError(ToAbsl(what)); }

  const CborLimits limits_;
  std::vector<Open> open_;
  std::optional<CborValue> root_;
  size_t items_ = 0;
  absl::Status status_;
};

Builder& BuilderOf(void* context) { return *static_cast<Builder*>(context); }

template <typename Number>
void OnUint(void* context, Number value) {
  if (value > kLargestSigned) return BuilderOf(context).Add(CborValue(static_cast<double>(value)));
  BuilderOf(context).Add(CborValue(static_cast<int64_t>(value)));
}
// CBOR has -1 - value.
template <typename Number>
void OnNegative(void* context, Number value) {
  if (value > kLargestSigned) {
    return BuilderOf(context).Add(CborValue(-1.0 - static_cast<double>(value)));
  }
  BuilderOf(context).Add(CborValue(-1 - static_cast<int64_t>(value)));
}

template <Builder::Kind kind>
void OnString(void* context, cbor_data data, size_t size) {
  BuilderOf(context).AddString(kind, {reinterpret_cast<const char*>(data), size});
}
template <Builder::Kind kind>
void OnStart(void* context) {
  BuilderOf(context).Begin(kind, std::nullopt);
}
template <Builder::Kind kind>
void OnSizedStart(void* context, size_t size) {
  BuilderOf(context).Begin(kind, size);
}

cbor_callbacks Callbacks() {
  cbor_callbacks callbacks = cbor_empty_callbacks;
  callbacks.uint8 = OnUint<uint8_t>;
  callbacks.uint16 = OnUint<uint16_t>;
  callbacks.uint32 = OnUint<uint32_t>;
  callbacks.uint64 = OnUint<uint64_t>;
  callbacks.negint8 = OnNegative<uint8_t>;
  callbacks.negint16 = OnNegative<uint16_t>;
  callbacks.negint32 = OnNegative<uint32_t>;
  callbacks.negint64 = OnNegative<uint64_t>;
  callbacks.byte_string = OnString<Builder::Kind::kBytes>;
  callbacks.string = OnString<Builder::Kind::kText>;
  callbacks.byte_string_start = OnStart<Builder::Kind::kBytes>;
  callbacks.string_start = OnStart<Builder::Kind::kText>;
  callbacks.indef_array_start = OnStart<Builder::Kind::kArray>;
  callbacks.indef_map_start = OnStart<Builder::Kind::kMap>;
  callbacks.array_start = OnSizedStart<Builder::Kind::kArray>;
  callbacks.map_start = OnSizedStart<Builder::Kind::kMap>;
  callbacks.float2 = [](void* context, float value) {
    BuilderOf(context).Add(CborValue(static_cast<double>(value)));
  };
  callbacks.float4 = callbacks.float2;
  callbacks.float8 = [](void* context, double value) { BuilderOf(context).Add(CborValue(value)); };
  callbacks.undefined = [](void* context) { BuilderOf(context).Add(CborValue()); };
  callbacks.null = [](void* context) { BuilderOf(context).Add(CborValue(CborValue::Null())); };
  callbacks.boolean = [](void* context, bool value) { BuilderOf(context).Add(CborValue(value)); };
  callbacks.indef_break = [](void* context) { BuilderOf(context).Break(); };
  return callbacks;
}

// --- writing

class Writer {
 public:
  // Depth is that of values which this program makes.
  void Write(const CborValue& value) {
    if (const auto* boolean = value.As<bool>()) {
      Put(cbor_encode_bool(*boolean, Room(), kRoom));
    } else if (const auto* integer = value.As<int64_t>()) {
      WriteInteger(*integer);
    } else if (const auto* number = value.As<double>()) {
      Put(cbor_encode_double(*number, Room(), kRoom));
    } else if (const auto* text = value.As<std::string>()) {
      Put(cbor_encode_string_start(text->size(), Room(), kRoom));
      out_ += *text;
    } else if (const auto* bytes = value.As<CborValue::Bytes>()) {
      Put(cbor_encode_bytestring_start(bytes->bytes.size(), Room(), kRoom));
      out_ += bytes->bytes;
    } else if (const auto* array = value.As<CborValue::Array>()) {
      Put(cbor_encode_array_start(array->size(), Room(), kRoom));
      for (const CborValue& item : *array) Write(item);
    } else if (const auto* map = value.As<CborValue::Map>()) {
      WriteMap(*map);
    } else if (value.is_undefined()) {
      Put(cbor_encode_undef(Room(), kRoom));
    } else {
      Put(cbor_encode_null(Room(), kRoom));
    }
  }
  std::string Take() { return std::move(out_); }

 private:
  static constexpr size_t kRoom = 9;  // of a head, and of a number

  void WriteInteger(int64_t integer) {
    if (integer > kLargestInteger || integer < -kLargestInteger) {
      Put(cbor_encode_double(static_cast<double>(integer), Room(), kRoom));
    } else if (integer >= 0) {
      Put(cbor_encode_uint(static_cast<uint64_t>(integer), Room(), kRoom));
    } else {
      Put(cbor_encode_negint(static_cast<uint64_t>(-1 - integer), Room(), kRoom));
    }
  }

  void WriteMap(const CborValue::Map& map) {
    const auto is_there = [](const auto& member) { return !member.second.is_undefined(); };
    const auto count = static_cast<size_t>(std::count_if(map.begin(), map.end(), is_there));
    Put(cbor_encode_map_start(count, Room(), kRoom));
    for (const auto& member : map) {
      if (!is_there(member)) continue;
      Write(member.first);
      Write(member.second);
    }
  }

  unsigned char* Room() { return room_.data(); }
  void Put(size_t size) { out_.append(reinterpret_cast<const char*>(room_.data()), size); }

  std::array<unsigned char, kRoom> room_{};
  std::string out_;
};

}  // namespace

absl::StatusOr<CborValue> ReadCbor(std::string_view bytes, const CborLimits& limits) {
  const cbor_callbacks callbacks = Callbacks();
  Builder builder(limits);
  const auto* data = reinterpret_cast<cbor_data>(bytes.data());
  size_t left = bytes.size();
  while (left > 0) {
    const cbor_decoder_result result = cbor_stream_decode(data, left, &callbacks, &builder);
    if (result.status == CBOR_DECODER_ERROR) {
      return absl::InvalidArgumentError("CBOR: an item of no known kind");
    }
    if (result.status != CBOR_DECODER_FINISHED) break;
    if (!builder.status().ok()) return builder.status();
    data += result.read;
    left -= result.read;
  }
  if (left > 0 || !builder.done()) return absl::InvalidArgumentError("CBOR is cut short");
  return builder.TakeRoot();
}

std::string WriteCbor(const CborValue& value) {
  Writer writer;
  writer.Write(value);
  return writer.Take();
}

}  // namespace cursorwire::collab
