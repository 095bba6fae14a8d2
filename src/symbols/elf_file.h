// An ELF file opened by libelf, for symbol tables and DWARF.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prof/base/result.h"
#include "prof/base/unique_fd.h"
#include "prof/model/module.h"

namespace prof::symbols {

struct ElfSection {
  Elf_Scn* scn = nullptr;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t entry_size = 0;
  std::uint32_t link = 0;
  std::string_view name;  // borrowed from the file

  [[nodiscard]] bool Contains(std::uint64_t addr) const { return addr - address < size; }
};

// Owns the descriptor or memory and the libelf handle over it. Sections are read once at opening;
// the strings and bytes it hands out live as long as the object. Not thread-safe.
class ElfFile {
 public:
  // `name` is for error messages. Only regular files: opening never blocks on a FIFO or a device.
  static Result<std::unique_ptr<ElfFile>> Open(const std::string& path);
  static Result<std::unique_ptr<ElfFile>> FromFd(UniqueFd fd, const std::string& name);
  // `bytes` is a mapped file (MappedFile) and must outlive the object. The file never changes, but
  // its section headers in memory may.
  static Result<std::unique_ptr<ElfFile>> FromMemory(std::span<const std::byte> bytes,
                                                     const std::string& name);
  static Result<std::unique_ptr<ElfFile>> FromBytes(std::vector<std::byte> bytes,
                                                    const std::string& name);

  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ~ElfFile();

  [[nodiscard]] Elf* elf() const { return elf_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint16_t machine() const { return machine_; }
  [[nodiscard]] bool is_64_bit() const { return is_64_bit_; }
  [[nodiscard]] bool is_big_endian() const { return is_big_endian_; }
  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  [[nodiscard]] const model::BuildId& build_id() const { return build_id_; }
  // The section of this name that has bytes in the file, or null.
  [[nodiscard]] const ElfSection* Find(std::string_view section_name) const;
  [[nodiscard]] const ElfSection* FindType(std::uint32_t type) const;
  // The section's bytes, uncompressed sections only; empty when it has none or they are out of the
  // file.
  [[nodiscard]] std::string_view Bytes(const ElfSection& section) const;
  [[nodiscard]] bool HasDwarf() const;
  // What was opened stays readable; for callers that open many files.
  void CloseDescriptor();

 private:
  ElfFile() = default;
  Status BeginMemory(std::span<const std::byte> bytes);
  Status ReadHeaders();
  void ReadBuildId();

  std::string name_;
  UniqueFd fd_;
  std::vector<std::byte> memory_;
  Elf* elf_ = nullptr;
  std::uint16_t machine_ = 0;
  bool is_64_bit_ = true;
  bool is_big_endian_ = false;
  std::vector<ElfSection> sections_;
  model::BuildId build_id_;
};

}  // namespace prof::symbols
