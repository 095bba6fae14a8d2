#include "disasm/child/objdump_disassembler.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "disasm/child/aarch64_flow.h"
#include "disasm/child/child_process.h"
#include "disasm/child/elf_wrapper.h"
#include "disasm/child/objdump_text.h"

#include "prof/base/unique_fd.h"

namespace prof::disasm {
namespace {

constexpr std::string_view kHint =
    "apt-get install llvm, or binutils-multiarch, for an objdump that knows all architectures";
// Bytes of text per byte of code: a line has up to 100 for an instruction of 1 byte.
constexpr std::size_t kTextPerByte = 256;
constexpr std::size_t kOutputFloor = std::size_t{64} << 10U;

// An anonymous file with these bytes.
Result<UniqueFd> MakeFile(std::string_view bytes) {
  UniqueFd file(::memfd_create("prof-code", MFD_CLOEXEC));
  if (!file.valid()) return FailErrno(errno, "memfd_create");
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return FailErrno(errno, "writing code for objdump");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return file;
}

Result<std::vector<Instruction>> Disassemble(const std::string& program, const ElfMachine& machine,
                                             std::span<const std::byte> code,
                                             model::FileAddr begin) {
  PROF_TRY_ASSIGN(const UniqueFd file, MakeFile(WrapInElf(code, begin, machine)));
  const ChildLimits limits{.output_bytes = kOutputFloor + code.size() * kTextPerByte};
  PROF_TRY_ASSIGN(
      const ChildOutput output,
      RunChild({program, "-d", "-z", "--no-show-raw-insn", "/proc/self/fd/3"}, file.get(), limits));
  std::vector<Instruction> instructions = ParseObjdump(output.out, begin, begin + code.size());
  if (output.status == 0 && !instructions.empty() && instructions.front().address == begin)
    return instructions;
  const std::string_view reason = std::string_view(output.err).substr(0, output.err.find('\n'));
  return Fail(
      ErrorKind::kSystem,
      program + ": " + (reason.empty() ? "it printed no instructions" : std::string(reason)));
}

std::vector<std::string> Candidates(Architecture architecture, const DisassemblerOptions& options) {
  if (!options.objdump.empty()) return {options.objdump};
  std::vector<std::string> names;
  if (architecture == Architecture::kAarch64) names.emplace_back("aarch64-linux-gnu-objdump");
  names.emplace_back("objdump");
  names.emplace_back("llvm-objdump");
  for (int version = 21; version >= 14; --version)
    names.push_back("llvm-objdump-" + std::to_string(version));
  return names;
}

std::uint32_t LittleEndianWord(std::span<const std::byte> bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  return word;
}

std::string ArchitectureName(Architecture architecture, const ElfMachine& machine) {
  if (architecture == Architecture::kAarch64) return "AArch64";
  return "machine " + std::to_string(machine.number) + " of ELF";
}

}  // namespace

Result<std::unique_ptr<Disassembler>> ObjdumpDisassembler::Create(
    Architecture architecture, const DisassemblerOptions& options) {
  ElfMachine machine = options.machine;
  if (architecture == Architecture::kAarch64) machine = {.number = EM_AARCH64};
  const std::array<std::byte, 16> probe{};
  std::string tried;
  for (const std::string& name : Candidates(architecture, options)) {
    const std::string program = FindProgram(name);
    if (program.empty()) continue;
    auto instructions = Disassemble(program, machine, probe, model::FileAddr{0x1000});
    if (instructions.has_value())
      return std::unique_ptr<Disassembler>(new ObjdumpDisassembler(architecture, machine, program));
    tried += (tried.empty() ? "" : "; ") + instructions.error().message;
  }
  if (tried.empty()) {
    tried = options.objdump.empty() ? "no objdump and no llvm-objdump in PATH"
                                    : options.objdump + ": no such program";
  }
  return Fail(ErrorKind::kNotFound,
              "cannot disassemble " + ArchitectureName(architecture, machine) + ": " + tried,
              std::string(kHint));
}

Result<std::vector<Instruction>> ObjdumpDisassembler::Decode(std::span<const std::byte> code,
                                                             model::FileAddr begin) {
  if (code.empty()) return std::vector<Instruction>{};
  PROF_TRY_ASSIGN(std::vector<Instruction> instructions,
                  Disassemble(program_, machine_, code, begin));
  if (architecture_ != Architecture::kAarch64) return instructions;
  for (Instruction& instruction : instructions) {
    const std::uint64_t offset = instruction.address - begin;
    if (instruction.length != 4 || offset + 4 > code.size()) continue;
    SetAarch64Flow(LittleEndianWord(code.subspan(offset, 4)), instruction);
    if (!instruction.target.has_value()) continue;
    // llvm-objdump has "0x" in front of targets.
    const std::size_t number = instruction.text.rfind("0x");
    if (number != std::string::npos) instruction.text.erase(number, 2);
  }
  return instructions;
}

}  // namespace prof::disasm
