// Resolves addresses of one ELF file and prints them as llvm-symbolizer --no-demangle does:
//   symbolize_addresses ELF [FOLDER_OF_DEBUG_FILES] < ADDRESSES      (hexadecimal, one a line)
//   symbolize_addresses --choose N ELF                               (prints N random addresses)
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"

#include "prof/symbols/symbolizer.h"

namespace {

using prof::symbols::ElfFile;

// Random addresses inside functions, weighted by their sizes; the same ones in every run.
int Choose(std::size_t count, const char* path) {
  auto file = ElfFile::Open(path);
  const prof::symbols::ElfSection* table = file ? (*file)->FindType(SHT_SYMTAB) : nullptr;
  if (table == nullptr) {
    std::fprintf(stderr, "%s: no symbol table\n", path);
    return 1;
  }
  const std::string_view bytes = (*file)->Bytes(*table);
  std::vector<Elf64_Sym> functions;
  std::vector<std::uint64_t> ends;  // of each function, all put end to end
  std::uint64_t total = 0;
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= bytes.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    bytes.copy(reinterpret_cast<char*>(&symbol), sizeof(symbol), at);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
    functions.push_back(symbol);
    ends.push_back(total += symbol.st_size);
  }
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < count && total > 0; ++i) {
    const std::uint64_t at = random() % total;
    const auto slot = std::ranges::upper_bound(ends, at) - ends.begin();
    const Elf64_Sym& function = functions[static_cast<std::size_t>(slot)];
    const std::uint64_t offset = at + function.st_size - ends[static_cast<std::size_t>(slot)];
    std::printf("0x%llx\n", static_cast<unsigned long long>(function.st_value + offset));
  }
  return 0;
}

void Print(const prof::model::AddressSymbols& found) {
  for (const auto& frame : found.frames) {
    std::printf("%s\n%s:%u:0\n", frame.name.empty() ? "??" : frame.name.c_str(),
                frame.file.empty() ? "??" : frame.file.c_str(), frame.line);
  }
  if (found.frames.empty()) std::printf("??\n??:0:0\n");
  std::printf("\n");
}

int Resolve(const char* path, const char* debug_folder) {
  std::vector<std::uint64_t> input;
  for (char line[64]; std::fgets(line, sizeof(line), stdin) != nullptr;) {
    input.push_back(std::strtoull(line, nullptr, 16));
  }
  std::vector<prof::model::FileAddr> wanted;
  for (const std::uint64_t address : input) wanted.push_back({address});
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());

  prof::model::Module module;
  module.kind = prof::model::ModuleKind::kElf;
  module.path = path;
  if (auto file = ElfFile::Open(path)) module.build_id = (*file)->build_id();
  prof::symbols::SymbolizerOptions options;
  if (debug_folder != nullptr) options.debug_dirs = {debug_folder};
  const auto symbols = prof::symbols::Symbolizer(options).Resolve(module, wanted);
  std::fprintf(stderr, "%s\n", symbols.detail.c_str());
  for (const std::uint64_t address : input) {
    const auto at =
        std::ranges::lower_bound(symbols.addresses, prof::model::FileAddr{address}, {},
                                 [](const prof::model::AddressSymbols& s) { return s.address; });
    if (at != symbols.addresses.end()) Print(*at);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--choose") {
    return Choose(static_cast<std::size_t>(std::atoll(argv[2])), argv[3]);
  }
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: symbolize_addresses ELF [FOLDER] | --choose N ELF\n");
    return 2;
  }
  return Resolve(argv[1], argc == 3 ? argv[2] : nullptr);
}
