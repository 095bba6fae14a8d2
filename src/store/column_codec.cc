// Chooses and applies the encoding of a column.
#include "store/column_codec.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace prof::store {
namespace {

// Differences wrap around: any pair of 64-bit values has one.
std::uint64_t ZigZag(std::uint64_t difference) {
  const auto value = static_cast<std::int64_t>(difference);
  return (difference << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::uint64_t UnZigZag(std::uint64_t raw) { return (raw >> 1) ^ (0 - (raw & 1)); }

// The last value of the rows with each key. The first row of a key continues the row before it.
class LastByKey {
 public:
  std::uint64_t& At(std::uint64_t key, std::uint64_t previous) {
    if (key < kDirect) {
      if (key >= direct_.size()) direct_.resize(key + 1);
      Slot& slot = direct_[key];
      if (!slot.seen) slot = {previous, true};
      return slot.value;
    }
    return others_.try_emplace(key, previous).first->second;
  }

 private:
  static constexpr std::uint64_t kDirect = 65'536;
  struct Slot {
    std::uint64_t value = 0;
    bool seen = false;
  };
  std::vector<Slot> direct_;
  std::unordered_map<std::uint64_t, std::uint64_t> others_;
};

// Stands for the bytes left after entropy coding better than the number of varint bytes does.
std::uint64_t Cost(ColumnValues residuals) {
  std::uint64_t bits = 0;
  for (const std::uint64_t value : residuals)
    bits += 1 + static_cast<unsigned>(std::bit_width(value));
  return bits;
}

std::vector<std::uint64_t> Deltas(ColumnValues values) {
  std::vector<std::uint64_t> result(values.size());
  std::uint64_t previous = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = ZigZag(values[i] - previous);
    previous = values[i];
  }
  return result;
}

std::vector<std::uint64_t> Runs(ColumnValues values) {
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    while (end < values.size() && values[end] == values[i]) ++end;
    result.push_back(values[i]);
    result.push_back(end - i);
    i = end;
  }
  return result;
}

std::vector<std::uint64_t> FromColumn(ColumnValues values, ColumnValues key) {
  std::vector<std::uint64_t> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = ZigZag(values[i] - key[i]);
  return result;
}

std::vector<std::uint64_t> BelowMax(ColumnValues values) {
  std::vector<std::uint64_t> result(values.size());
  std::uint64_t max = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = ZigZag(values[i] - max);
    max = std::max(max, values[i]);
  }
  return result;
}

// The bias is the median step: samples of one CPU are one period apart, give or take a little.
std::vector<std::uint64_t> GroupedDeltas(ColumnValues values, ColumnValues key,
                                         std::uint64_t* bias) {
  std::vector<std::uint64_t> steps(values.size());
  LastByKey last;
  std::uint64_t previous = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t& slot = last.At(key[i], previous);
    steps[i] = values[i] - slot;
    slot = previous = values[i];
  }
  std::vector<std::uint64_t> sorted = steps;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle, [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  });
  *bias = *middle;
  for (std::uint64_t& step : steps) step = ZigZag(step - *bias);
  return steps;
}

bool IsLinear(ColumnValues values) {
  const std::uint64_t step = values[1] - values[0];
  for (std::size_t i = 2; i < values.size(); ++i) {
    if (values[i] - values[i - 1] != step) return false;
  }
  return true;
}

void Emit(Encoding encoding, ColumnValues numbers, ByteWriter& out) {
  ByteWriter data;
  for (const std::uint64_t number : numbers) data.Varint(number);
  out.U8(static_cast<std::uint8_t>(encoding));
  out.Varint(data.size());
  out.Bytes(data.bytes());
}

bool DecodeRuns(ByteReader& in, std::span<std::uint64_t> values) {
  std::size_t row = 0;
  while (row < values.size()) {
    const std::uint64_t value = in.Varint();
    const std::uint64_t length = in.Varint();
    if (!in.ok() || length == 0 || length > values.size() - row) return false;
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(row), length, value);
    row += length;
  }
  return true;
}

bool DecodeGroupedDelta(ByteReader& in, ColumnValues key, std::span<std::uint64_t> values) {
  const std::uint64_t bias = UnZigZag(in.Varint());
  LastByKey last;
  std::uint64_t previous = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t& slot = last.At(key[i], previous);
    values[i] = previous = slot = slot + bias + UnZigZag(in.Varint());
  }
  return true;
}

// The decoded key column that the data names first, or an empty span.
ColumnValues ReadKey(ByteReader& in, DecodedColumns earlier) {
  const std::uint64_t id = in.Varint();
  if (!in.ok() || id >= earlier.size()) return {};
  return earlier[id];
}

bool DecodeAny(Encoding encoding, ByteReader& in, DecodedColumns earlier,
               std::span<std::uint64_t> values) {
  std::uint64_t previous = 0;
  switch (encoding) {
    case Encoding::kConstant:
      std::ranges::fill(values, in.Varint());
      return true;
    case Encoding::kVarint:
      for (std::uint64_t& value : values) value = in.Varint();
      return true;
    case Encoding::kDelta:
      for (std::uint64_t& value : values) value = previous = previous + UnZigZag(in.Varint());
      return true;
    case Encoding::kRuns:
      return DecodeRuns(in, values);
    case Encoding::kLinear: {
      std::uint64_t next = in.Varint();
      const std::uint64_t step = UnZigZag(in.Varint());
      for (std::uint64_t& value : values) {
        value = next;
        next += step;
      }
      return true;
    }
    case Encoding::kFromColumn: {
      const ColumnValues key = ReadKey(in, earlier);
      if (key.size() != values.size()) return false;
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = key[i] + UnZigZag(in.Varint());
      return true;
    }
    case Encoding::kGroupedDelta: {
      const ColumnValues key = ReadKey(in, earlier);
      return key.size() == values.size() && DecodeGroupedDelta(in, key, values);
    }
    case Encoding::kBelowMax:
      for (std::uint64_t& value : values) {
        value = previous + UnZigZag(in.Varint());
        previous = std::max(previous, value);
      }
      return true;
  }
  return false;
}

}  // namespace

void EncodeColumn(ColumnValues values, ColumnValues key, const ColumnSpec& spec, ByteWriter& out) {
  if (std::ranges::all_of(values, [&](std::uint64_t v) { return v == values[0]; })) {
    return Emit(Encoding::kConstant, values.first(1), out);
  }
  if (IsLinear(values)) {
    const std::uint64_t parameters[] = {values[0], ZigZag(values[1] - values[0])};
    return Emit(Encoding::kLinear, parameters, out);
  }
  Encoding best = Encoding::kVarint;
  std::uint64_t best_cost = Cost(values);
  std::vector<std::uint64_t> best_numbers(values.begin(), values.end());
  const auto consider = [&](Encoding encoding, std::vector<std::uint64_t> numbers) {
    const std::uint64_t cost = Cost(numbers);
    if (cost >= best_cost) return;
    best = encoding;
    best_cost = cost;
    best_numbers = std::move(numbers);
  };
  consider(Encoding::kDelta, Deltas(values));
  consider(Encoding::kRuns, Runs(values));
  if (spec.special == Encoding::kBelowMax) consider(Encoding::kBelowMax, BelowMax(values));
  if (spec.key != kNoKey && spec.special == Encoding::kFromColumn) {
    consider(Encoding::kFromColumn, FromColumn(values, key));
  }
  std::uint64_t bias = 0;
  if (spec.key != kNoKey && spec.special == Encoding::kGroupedDelta) {
    consider(Encoding::kGroupedDelta, GroupedDeltas(values, key, &bias));
  }
  if (best == Encoding::kGroupedDelta) best_numbers.insert(best_numbers.begin(), ZigZag(bias));
  if (best == Encoding::kGroupedDelta || best == Encoding::kFromColumn) {
    best_numbers.insert(best_numbers.begin(), spec.key);
  }
  Emit(best, best_numbers, out);
}

bool DecodeColumn(Encoding encoding, ByteReader in, DecodedColumns earlier,
                  std::span<std::uint64_t> values) {
  return DecodeAny(encoding, in, earlier, values) && in.ok() && in.remaining() == 0;
}

}  // namespace prof::store
