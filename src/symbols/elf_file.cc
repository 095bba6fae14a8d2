// Opens ELF files with libelf and lists their sections.
#include "symbols/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "prof/base/mapped_file.h"

namespace prof::symbols {
namespace {

// Up to the end of the file, where most linkers put them.
std::span<const std::byte> SectionHeaders(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header)) return {};
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header.e_shoff < bytes.size() ? bytes.subspan(header.e_shoff)
                                       : std::span<const std::byte>();
}

}  // namespace

Result<std::unique_ptr<ElfFile>> ElfFile::Open(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return FailErrno(errno, path);
  return FromFd(std::move(fd), path);
}

Result<std::unique_ptr<ElfFile>> ElfFile::FromFd(UniqueFd fd, const std::string& name) {
  std::unique_ptr<ElfFile> file(new ElfFile);
  file->name_ = name;
  file->fd_ = std::move(fd);
  struct stat status {};
  if (::fstat(file->fd_.get(), &status) != 0) return FailErrno(errno, name);
  if (!S_ISREG(status.st_mode)) return Fail(ErrorKind::kBadData, name + ": not a regular file");
  ::elf_version(EV_CURRENT);
  file->elf_ = ::elf_begin(file->fd_.get(), ELF_C_READ_MMAP, nullptr);
  PROF_TRY(file->ReadHeaders());
  return file;
}

Result<std::unique_ptr<ElfFile>> ElfFile::FromMemory(std::span<const std::byte> bytes,
                                                     const std::string& name) {
  std::unique_ptr<ElfFile> file(new ElfFile);
  file->name_ = name;
  // libelf changes its section headers when it inflates sections, and here these are the mapping.
  PROF_TRY(MakePrivatelyWritable(SectionHeaders(bytes)));
  PROF_TRY(file->BeginMemory(bytes));
  return file;
}

Result<std::unique_ptr<ElfFile>> ElfFile::FromBytes(std::vector<std::byte> bytes,
                                                    const std::string& name) {
  std::unique_ptr<ElfFile> file(new ElfFile);
  file->name_ = name;
  file->memory_ = std::move(bytes);
  PROF_TRY(file->BeginMemory(file->memory_));
  return file;
}

Status ElfFile::BeginMemory(std::span<const std::byte> bytes) {
  ::elf_version(EV_CURRENT);
  elf_ = ::elf_memory(const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size());
  return ReadHeaders();
}

ElfFile::~ElfFile() {
  if (elf_ != nullptr) ::elf_end(elf_);
}

Status ElfFile::ReadHeaders() {
  GElf_Ehdr header;
  if (elf_ == nullptr || ::elf_kind(elf_) != ELF_K_ELF ||
      ::gelf_getehdr(elf_, &header) == nullptr) {
    return Fail(ErrorKind::kBadData, name_ + ": not an ELF file");
  }
  machine_ = header.e_machine;
  is_64_bit_ = header.e_ident[EI_CLASS] == ELFCLASS64;
  is_big_endian_ = header.e_ident[EI_DATA] == ELFDATA2MSB;
  std::size_t names = 0;
  if (::elf_getshdrstrndx(elf_, &names) != 0) names = 0;
  for (Elf_Scn* scn = nullptr; (scn = ::elf_nextscn(elf_, scn)) != nullptr;) {
    GElf_Shdr shdr;
    if (::gelf_getshdr(scn, &shdr) == nullptr) continue;
    const char* name = names == 0 ? nullptr : ::elf_strptr(elf_, names, shdr.sh_name);
    sections_.push_back({.scn = scn,
                         .type = shdr.sh_type,
                         .flags = shdr.sh_flags,
                         .address = shdr.sh_addr,
                         .size = shdr.sh_size,
                         .entry_size = shdr.sh_entsize,
                         .link = shdr.sh_link,
                         .name = name == nullptr ? std::string_view() : name});
  }
  ReadBuildId();
  return {};
}

void ElfFile::ReadBuildId() {
  for (const ElfSection& section : sections_) {
    if (section.type != SHT_NOTE) continue;
    Elf_Data* data = ::elf_getdata(section.scn, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    GElf_Nhdr note;
    std::size_t name_offset = 0;
    std::size_t desc_offset = 0;
    for (std::size_t offset = 0;
         (offset = ::gelf_getnote(data, offset, &note, &name_offset, &desc_offset)) > 0;) {
      const auto* bytes = static_cast<const std::byte*>(data->d_buf);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
          std::memcmp(bytes + name_offset, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
        build_id_ = model::BuildId(std::span(bytes + desc_offset, note.n_descsz));
        return;
      }
    }
  }
}

const ElfSection* ElfFile::Find(std::string_view section_name) const {
  for (const ElfSection& section : sections_) {
    if (section.name == section_name && section.type != SHT_NOBITS) return &section;
  }
  return nullptr;
}

const ElfSection* ElfFile::FindType(std::uint32_t type) const {
  for (const ElfSection& section : sections_) {
    if (section.type == type) return &section;
  }
  return nullptr;
}

std::string_view ElfFile::Bytes(const ElfSection& section) const {
  if (section.type == SHT_NOBITS) return {};
  const Elf_Data* data = ::elf_rawdata(section.scn, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

void ElfFile::CloseDescriptor() {
  if (fd_.valid() && ::elf_cntl(elf_, ELF_C_FDREAD) == 0) fd_ = UniqueFd();
}

bool ElfFile::HasDwarf() const {
  return Find(".debug_info") != nullptr || Find(".zdebug_info") != nullptr;
}

}  // namespace prof::symbols
