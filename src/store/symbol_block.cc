// Writes and reads symbol blocks.
#include "store/symbol_block.h"

#include <algorithm>

namespace prof::store {
namespace {

using schema::SymbolAddresses;
using schema::SymbolFrames;
using schema::SymbolModules;

constexpr std::size_t kRowEstimate = 8;

}  // namespace

void SymbolBlockBuilder::BeginModule(const model::ModuleSymbols& symbols) {
  const model::Module& module = symbols.module;
  const auto build_id = module.build_id.bytes();
  const std::string_view build_id_text(reinterpret_cast<const char*>(build_id.data()),
                                       build_id.size());
  modules_.Add<SymbolModules::kCount>(
      {static_cast<std::uint64_t>(module.kind), strings_.Id(module.path),
       strings_.Id(build_id_text), module.pid, module.replaced,
       static_cast<std::uint64_t>(symbols.status), strings_.Id(symbols.detail), 0});
  addresses_per_module_.push_back(0);
}

void SymbolBlockBuilder::Add(const model::AddressSymbols& address) {
  const std::size_t frames = std::min(address.frames.size(), kMaxInlineFrames);
  addresses_.Add<SymbolAddresses::kCount>({address.address.value, address.function_start.value,
                                           address.function_size, frames, address.unoptimized});
  ++addresses_per_module_.back();
  // The outermost frame is the one that must not be cut off.
  for (const model::SymbolFrame& frame : std::span(address.frames).last(frames)) {
    frames_.Add<SymbolFrames::kCount>(
        {strings_.Id(frame.name), strings_.Id(frame.file), frame.line, frame.inlined});
  }
}

bool SymbolBlockBuilder::IsFull(std::size_t block_bytes) const {
  const std::size_t rows = modules_.rows() + addresses_.rows() + frames_.rows();
  return strings_.pending_bytes() + rows * kRowEstimate >= block_bytes ||
         rows + kMaxInlineFrames >= kMaxRows || strings_.HasMuchText();
}

void SymbolBlockBuilder::Encode(ByteWriter& out) {
  TableBuilder modules{Section::kSymbolModules, SymbolModules::kSpec};
  for (std::size_t row = 0; row < modules_.rows(); ++row) {
    std::array<std::uint64_t, SymbolModules::kCount> cells{};
    for (std::size_t column = 0; column < cells.size(); ++column) {
      cells[column] = modules_.At(row, column);
    }
    cells[SymbolModules::kAddresses] = addresses_per_module_[row];
    modules.Add(cells);
  }
  strings_.EncodePending(out);
  modules.Encode(out);
  addresses_.Encode(out);
  frames_.Encode(out);
  modules_.Clear();
  addresses_.Clear();
  frames_.Clear();
  addresses_per_module_.clear();
  strings_.Clear();
}

bool ReadModule(const Table& table, std::size_t row, std::size_t first, StringList& strings,
                model::Module* out) {
  const std::string* path = strings.Find(table.At(row, first + 1));
  const std::string* build_id = strings.Find(table.At(row, first + 2));
  if (path == nullptr || build_id == nullptr) return false;
  if (build_id->size() > model::BuildId::kMaxBytes) return false;
  out->kind = static_cast<model::ModuleKind>(table.At(row, first));
  out->path = *path;
  out->build_id = model::BuildId(std::as_bytes(std::span(*build_id)));
  out->pid = static_cast<std::uint32_t>(table.At(row, first + 3));
  out->replaced = table.At(row, first + 4) != 0;
  return true;
}

DecodeOutcome SymbolBlock::Decode(std::span<const std::byte> payload) {
  bool unsupported = false;
  SectionList sections;
  strings_.Clear();
  if (!sections.Parse(payload, &unsupported)) return DecodeOutcome::kMalformed;
  struct Part {
    Table* table;
    Section section;
    TableSpec spec;
  };
  for (const Part& part : {Part{&modules_, Section::kSymbolModules, SymbolModules::kSpec},
                           Part{&addresses_, Section::kSymbolAddresses, SymbolAddresses::kSpec},
                           Part{&frames_, Section::kSymbolFrames, SymbolFrames::kSpec}}) {
    if (!sections.ReadTable(part.section, part.spec, *part.table, &unsupported))
      return DecodeOutcome::kMalformed;
  }
  if (unsupported) return DecodeOutcome::kUnsupported;
  const bool ok = strings_.Decode(sections.Get(Section::kStrings)) && HasConsistentCounts();
  return ok ? DecodeOutcome::kOk : DecodeOutcome::kMalformed;
}

bool SymbolBlock::HasConsistentCounts() const {
  std::uint64_t addresses = 0;
  for (std::size_t row = 0; row < modules_.rows(); ++row) {
    addresses += modules_.At(row, SymbolModules::kAddresses);
  }
  std::uint64_t frames = 0;
  for (std::size_t row = 0; row < addresses_.rows(); ++row) {
    frames += addresses_.At(row, SymbolAddresses::kFrames);
  }
  return addresses == addresses_.rows() && frames == frames_.rows();
}

bool SymbolBlock::ReadAddress(std::size_t row, std::size_t first_frame,
                              model::AddressSymbols* out) {
  out->address = {addresses_.At(row, SymbolAddresses::kAddress)};
  out->function_start = {addresses_.At(row, SymbolAddresses::kStart)};
  out->function_size = addresses_.At(row, SymbolAddresses::kSize);
  out->unoptimized = addresses_.At(row, SymbolAddresses::kUnoptimized) != 0;
  const std::size_t frames = addresses_.At(row, SymbolAddresses::kFrames);
  for (std::size_t i = first_frame; i < first_frame + frames; ++i) {
    const std::string* name = strings_.Find(frames_.At(i, SymbolFrames::kName));
    const std::string* file = strings_.Find(frames_.At(i, SymbolFrames::kFile));
    if (name == nullptr || file == nullptr) return false;
    out->frames.push_back({.name = *name,
                           .file = *file,
                           .line = static_cast<std::uint32_t>(frames_.At(i, SymbolFrames::kLine)),
                           .inlined = frames_.At(i, SymbolFrames::kInlined) != 0});
  }
  return true;
}

Status SymbolBlock::Replay(model::RecordSink& sink, std::uint64_t* dropped) {
  std::size_t address = 0;
  std::size_t frame = 0;
  for (std::size_t row = 0; row < modules_.rows(); ++row) {
    model::ModuleSymbols symbols;
    const std::string* detail = strings_.Find(modules_.At(row, SymbolModules::kDetail));
    const bool usable =
        ReadModule(modules_, row, SymbolModules::kKind, strings_, &symbols.module) &&
        detail != nullptr;
    if (usable) symbols.detail = *detail;
    symbols.status = static_cast<model::SymbolStatus>(modules_.At(row, SymbolModules::kStatus));
    const std::size_t end = address + modules_.At(row, SymbolModules::kAddresses);
    for (; address < end; ++address) {
      model::AddressSymbols entry;
      if (usable && ReadAddress(address, frame, &entry)) {
        symbols.addresses.push_back(std::move(entry));
      } else {
        ++*dropped;
      }
      frame += addresses_.At(address, SymbolAddresses::kFrames);
    }
    if (!usable) {
      ++*dropped;
      continue;
    }
    PROF_TRY(sink.Append(model::Record(std::move(symbols))));
  }
  return {};
}

}  // namespace prof::store
