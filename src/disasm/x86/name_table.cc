#include "disasm/x86/name_table.h"

#include <array>

#include "disasm/x86/zydis_library.h"

namespace prof::disasm::x86 {
namespace {

struct Spelling {
  ZydisMnemonic mnemonic;
  std::string_view att;
  std::string_view intel;
};

constexpr Spelling kSpellings[] = {
    {ZYDIS_MNEMONIC_JB, "jb", "jb"},
    {ZYDIS_MNEMONIC_JNB, "jae", "jae"},
    {ZYDIS_MNEMONIC_JNBE, "ja", "ja"},
    {ZYDIS_MNEMONIC_JNL, "jge", "jge"},
    {ZYDIS_MNEMONIC_JNLE, "jg", "jg"},
    {ZYDIS_MNEMONIC_JNZ, "jne", "jne"},
    {ZYDIS_MNEMONIC_JZ, "je", "je"},
    {ZYDIS_MNEMONIC_CMOVNB, "cmovae", "cmovae"},
    {ZYDIS_MNEMONIC_CMOVNBE, "cmova", "cmova"},
    {ZYDIS_MNEMONIC_CMOVNL, "cmovge", "cmovge"},
    {ZYDIS_MNEMONIC_CMOVNLE, "cmovg", "cmovg"},
    {ZYDIS_MNEMONIC_CMOVNZ, "cmovne", "cmovne"},
    {ZYDIS_MNEMONIC_CMOVZ, "cmove", "cmove"},
    {ZYDIS_MNEMONIC_SETNB, "setae", "setae"},
    {ZYDIS_MNEMONIC_SETNBE, "seta", "seta"},
    {ZYDIS_MNEMONIC_SETNL, "setge", "setge"},
    {ZYDIS_MNEMONIC_SETNLE, "setg", "setg"},
    {ZYDIS_MNEMONIC_SETNZ, "setne", "setne"},
    {ZYDIS_MNEMONIC_SETZ, "sete", "sete"},
    {ZYDIS_MNEMONIC_CBW, "cbtw", "cbw"},
    {ZYDIS_MNEMONIC_CWDE, "cwtl", "cwde"},
    {ZYDIS_MNEMONIC_CDQE, "cltq", "cdqe"},
    {ZYDIS_MNEMONIC_CWD, "cwtd", "cwd"},
    {ZYDIS_MNEMONIC_CDQ, "cltd", "cdq"},
    {ZYDIS_MNEMONIC_CQO, "cqto", "cqo"},
    {ZYDIS_MNEMONIC_IRET, "iretw", "iretw"},
    {ZYDIS_MNEMONIC_IRETD, "iret", "iret"},
    {ZYDIS_MNEMONIC_PUSHF, "pushfw", "pushfw"},
    {ZYDIS_MNEMONIC_PUSHFD, "pushf", "pushf"},
    {ZYDIS_MNEMONIC_PUSHFQ, "pushf", "pushf"},
    {ZYDIS_MNEMONIC_POPF, "popfw", "popfw"},
    {ZYDIS_MNEMONIC_POPFD, "popf", "popf"},
    {ZYDIS_MNEMONIC_POPFQ, "popf", "popf"},
    {ZYDIS_MNEMONIC_PUSHA, "pushaw", "pushaw"},
    {ZYDIS_MNEMONIC_PUSHAD, "pusha", "pusha"},
    {ZYDIS_MNEMONIC_POPA, "popaw", "popaw"},
    {ZYDIS_MNEMONIC_POPAD, "popa", "popa"},
};

constexpr ZydisMnemonic kMemorySized[] = {
    ZYDIS_MNEMONIC_ADC,  ZYDIS_MNEMONIC_ADD, ZYDIS_MNEMONIC_AND,  ZYDIS_MNEMONIC_BT,
    ZYDIS_MNEMONIC_BTC,  ZYDIS_MNEMONIC_BTR, ZYDIS_MNEMONIC_BTS,  ZYDIS_MNEMONIC_CMP,
    ZYDIS_MNEMONIC_DEC,  ZYDIS_MNEMONIC_DIV, ZYDIS_MNEMONIC_IDIV, ZYDIS_MNEMONIC_IMUL,
    ZYDIS_MNEMONIC_INC,  ZYDIS_MNEMONIC_MUL, ZYDIS_MNEMONIC_NEG,  ZYDIS_MNEMONIC_NOP,
    ZYDIS_MNEMONIC_NOT,  ZYDIS_MNEMONIC_OR,  ZYDIS_MNEMONIC_SBB,  ZYDIS_MNEMONIC_SUB,
    ZYDIS_MNEMONIC_TEST, ZYDIS_MNEMONIC_XOR,
};

constexpr ZydisMnemonic kAlwaysMemorySized[] = {
    ZYDIS_MNEMONIC_CRC32, ZYDIS_MNEMONIC_RCL, ZYDIS_MNEMONIC_RCR, ZYDIS_MNEMONIC_ROL,
    ZYDIS_MNEMONIC_ROR,   ZYDIS_MNEMONIC_SAR, ZYDIS_MNEMONIC_SHL, ZYDIS_MNEMONIC_SHR,
};

constexpr ZydisMnemonic kFromInteger[] = {
    ZYDIS_MNEMONIC_CVTSI2SD,   ZYDIS_MNEMONIC_CVTSI2SS,   ZYDIS_MNEMONIC_VCVTSI2SD,
    ZYDIS_MNEMONIC_VCVTSI2SS,  ZYDIS_MNEMONIC_VCVTSI2SH,  ZYDIS_MNEMONIC_VCVTUSI2SD,
    ZYDIS_MNEMONIC_VCVTUSI2SS, ZYDIS_MNEMONIC_VCVTUSI2SH, ZYDIS_MNEMONIC_PTWRITE,
};

constexpr ZydisMnemonic kNarrowing[] = {
    ZYDIS_MNEMONIC_VCVTPD2DQ,  ZYDIS_MNEMONIC_VCVTTPD2DQ,    ZYDIS_MNEMONIC_VCVTPD2PS,
    ZYDIS_MNEMONIC_VCVTPD2UDQ, ZYDIS_MNEMONIC_VCVTTPD2UDQ,   ZYDIS_MNEMONIC_VCVTQQ2PS,
    ZYDIS_MNEMONIC_VCVTUQQ2PS, ZYDIS_MNEMONIC_VCVTPD2PH,     ZYDIS_MNEMONIC_VCVTQQ2PH,
    ZYDIS_MNEMONIC_VCVTUQQ2PH, ZYDIS_MNEMONIC_VCVTPS2PHX,    ZYDIS_MNEMONIC_VCVTDQ2PH,
    ZYDIS_MNEMONIC_VCVTUDQ2PH, ZYDIS_MNEMONIC_VCVTNEPS2BF16,
};

constexpr ZydisMnemonic kClasses[] = {
    ZYDIS_MNEMONIC_VFPCLASSPD,
    ZYDIS_MNEMONIC_VFPCLASSPS,
    ZYDIS_MNEMONIC_VFPCLASSPH,
};

constexpr ZydisMnemonic kStack[] = {ZYDIS_MNEMONIC_LEAVE, ZYDIS_MNEMONIC_ENTER};

constexpr ZydisMnemonic kStackMemory[] = {ZYDIS_MNEMONIC_PUSH, ZYDIS_MNEMONIC_POP,
                                          ZYDIS_MNEMONIC_CALL, ZYDIS_MNEMONIC_JMP};

constexpr ZydisMnemonic kExtending[] = {ZYDIS_MNEMONIC_MOVSX, ZYDIS_MNEMONIC_MOVZX};

class NameTable {
 public:
  NameTable() {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const ZydisShortString* name = Zydis().mnemonic_name(static_cast<ZydisMnemonic>(i));
      names_[i].att = std::string_view(name->data, name->size);
      names_[i].intel = names_[i].att;
    }
    for (const Spelling& spelling : kSpellings) {
      names_[spelling.mnemonic].att = spelling.att;
      names_[spelling.mnemonic].intel = spelling.intel;
    }
    Set(kMemorySized, Suffix::kMemory);
    Set(kAlwaysMemorySized, Suffix::kMemoryAlways);
    Set(kFromInteger, Suffix::kConvert);
    Set(kNarrowing, Suffix::kVectorLength);
    Set(kClasses, Suffix::kMask);
    Set(kStack, Suffix::kStack16);
    Set(kStackMemory, Suffix::kStack16Memory);
    Set(kExtending, Suffix::kExtend);
    names_[ZYDIS_MNEMONIC_MOV].suffix = Suffix::kMemory;
  }

  [[nodiscard]] const Name& Of(ZydisMnemonic mnemonic) const { return names_[mnemonic]; }

 private:
  template <std::size_t kCount>
  void Set(const ZydisMnemonic (&mnemonics)[kCount], Suffix suffix) {
    for (const ZydisMnemonic mnemonic : mnemonics) names_[mnemonic].suffix = suffix;
  }

  std::array<Name, ZYDIS_MNEMONIC_MAX_VALUE + 1> names_;
};

}  // namespace

const Name& NameOf(ZydisMnemonic mnemonic) {
  static const NameTable kTable;
  return kTable.Of(mnemonic);
}

}  // namespace prof::disasm::x86
