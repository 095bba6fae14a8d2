// Opens .dwo files and .dwp packages.
#include "symbols/dwarf/split_units.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

namespace prof::symbols {
namespace {

// Identifiers of columns (DWARF 5, section 7.3.5.3).
enum Column : std::uint32_t { kInfo = 1, kAbbrev = 3, kStrOffsets = 6, kRnglists5 = 8 };

constexpr std::uint32_t kMaxColumns = 16;

std::string Folder(const std::string& path) { return path.substr(0, path.find_last_of('/') + 1); }

std::string BaseName(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

}  // namespace

const Unit* SplitUnits::Find(const Unit& skeleton) {
  OpenPackages();
  if (const auto packed = packed_.find(skeleton.split_id()); packed != packed_.end()) {
    const auto& [package, unit] = packed->second;
    return package->SplitUnitAt(unit.info, unit.part, skeleton);
  }
  const std::string name(skeleton.root().split_name);
  const std::string expected =
      name.starts_with('/') ? name : std::string(skeleton.root().folder) + "/" + name;
  if (const Unit* unit = FindInFile(expected, skeleton)) return unit;
  for (const std::string& program : programs_) {  // programs moved together with their .dwo files
    if (const Unit* unit = FindInFile(Folder(program) + BaseName(name), skeleton)) return unit;
  }
  if (missing_.empty()) first_missing_ = expected;
  missing_.insert(&skeleton);
  return nullptr;
}

const DwarfFile* SplitUnits::Open(const std::string& path) {
  const auto [slot, fresh] = files_.try_emplace(path);
  File& file = slot->second;
  if (fresh && open_) {
    auto elf = open_(path);
    if (!elf) return nullptr;
    (*elf)->CloseDescriptor();  // there may be thousands
    auto dwarf = DwarfFile::Open(**elf, DwarfFile::Kind::kSplit, nullptr);
    if (!dwarf) return nullptr;
    file = {std::move(*elf), std::move(*dwarf)};
  }
  return file.dwarf.get();
}

const Unit* SplitUnits::FindInFile(const std::string& path, const Unit& skeleton) {
  const DwarfFile* file = Open(path);
  if (file == nullptr) return nullptr;
  for (const UnitHeader& header : file->headers()) {
    if (header.type == DW_UT_split_type || header.type == DW_UT_type) continue;
    if (file->SplitId(header) != skeleton.split_id()) continue;
    return file->SplitUnitAt(header.offset, {}, skeleton);
  }
  return nullptr;
}

void SplitUnits::OpenPackages() {
  if (std::exchange(packages_opened_, true)) return;
  for (const std::string& program : programs_) {
    const DwarfFile* package = Open(program + ".dwp");
    if (package == nullptr) continue;
    for (PackedUnit& unit : ReadPackageIndex(package->sections()[DebugSection::kCuIndex])) {
      packed_.emplace(unit.id, Packed{package, unit});
    }
  }
}

std::vector<PackedUnit> ReadPackageIndex(std::span<const std::byte> index) {
  ByteReader reader(index);
  const std::uint32_t version = reader.U32() & 0xffff;  // version 5 has 2 bytes and padding
  const std::uint32_t columns = reader.U32();
  const std::uint32_t units = reader.U32();
  const std::uint32_t slots = reader.U32();
  if (!reader.ok() || (version != 2 && version != 5) || columns > kMaxColumns ||
      slots > reader.remaining() / 12 || units > slots) {
    return {};
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> rows(slots);
  for (auto& [id, row] : rows) id = reader.U64();
  for (auto& [id, row] : rows) row = reader.U32();
  std::vector<std::uint32_t> ids(columns);
  for (std::uint32_t& id : ids) id = reader.U32();
  std::vector<PackedUnit> parts(units);
  for (PackedUnit& part : parts) {
    for (const std::uint32_t id : ids) {
      const std::uint64_t offset = reader.U32();
      if (id == kInfo) part.info = offset;
      if (id == kAbbrev) part.part.abbreviations = offset;
      if (id == kStrOffsets) part.part.string_offsets = offset;
      if (id == kRnglists5 && version == 5) part.part.range_lists = offset;
    }
  }
  if (!reader.ok()) return {};
  std::vector<PackedUnit> packed;
  for (const auto& [id, row] : rows) {
    if (row < 1 || row > units) continue;
    packed.push_back(parts[row - 1]);
    packed.back().id = id;
  }
  return packed;
}

}  // namespace prof::symbols
