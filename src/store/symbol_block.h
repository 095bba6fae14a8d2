// Symbols of modules to symbol blocks and back.
#pragma once

#include <span>
#include <string_view>

#include "store/schema.h"
#include "store/string_table.h"
#include "store/table.h"

#include "prof/base/byte_writer.h"
#include "prof/model/record.h"
#include "prof/model/record_sink.h"

namespace prof::store {

// Several modules share a block, with strings of its own: symbols do not depend on epochs.
class SymbolBlockBuilder {
 public:
  void BeginModule(const model::ModuleSymbols& symbols);
  // An address of the module begun last.
  void Add(const model::AddressSymbols& address);

  [[nodiscard]] bool IsFull(std::size_t block_bytes) const;
  // Appends the payload and forgets everything.
  void Encode(ByteWriter& out);

 private:
  StringInterner strings_;
  TableBuilder modules_{Section::kSymbolModules, schema::SymbolModules::kSpec};
  TableBuilder addresses_{Section::kSymbolAddresses, schema::SymbolAddresses::kSpec};
  TableBuilder frames_{Section::kSymbolFrames, schema::SymbolFrames::kSpec};
  std::vector<std::uint64_t> addresses_per_module_;
};

enum class DecodeOutcome { kOk, kMalformed, kUnsupported };

// Decodes a whole block before anything is delivered.
class SymbolBlock {
 public:
  DecodeOutcome Decode(std::span<const std::byte> payload);
  // Pushes every module; `*dropped` grows by what refers to strings that are not there.
  Status Replay(model::RecordSink& sink, std::uint64_t* dropped);

 private:
  [[nodiscard]] bool HasConsistentCounts() const;
  bool ReadAddress(std::size_t row, std::size_t first_frame, model::AddressSymbols* out);

  StringList strings_;
  Table modules_;
  Table addresses_;
  Table frames_;
};

// The module of a row whose columns begin with kind, path, build ID, pid and replaced at `first`.
// False when a string is missing or no build ID.
bool ReadModule(const Table& table, std::size_t row, std::size_t first, StringList& strings,
                model::Module* out);

}  // namespace prof::store
