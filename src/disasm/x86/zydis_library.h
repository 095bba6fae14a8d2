// Zydis, loaded when x86 is disassembled and not before.
#pragma once

#include <Zydis/Zydis.h>

#include "prof/base/result.h"

namespace prof::disasm::x86 {

// The functions of Zydis that are used, with the types of its headers. It is not linked: to load
// it (two libraries of Debian's, 2,600 addresses to write) adds 0.3 ms to each start of prof.
struct ZydisLibrary {
  decltype(&::ZydisGetVersion) get_version = nullptr;
  decltype(&::ZydisDecoderInit) decoder_init = nullptr;
  decltype(&::ZydisDecoderEnableMode) decoder_enable_mode = nullptr;
  decltype(&::ZydisDecoderDecodeFull) decode = nullptr;
  decltype(&::ZydisMnemonicGetStringWrapped) mnemonic_name = nullptr;
  decltype(&::ZydisRegisterGetStringWrapped) register_name = nullptr;
  decltype(&::ZydisRegisterGetClass) register_class = nullptr;
  decltype(&::ZydisRegisterGetId) register_number = nullptr;
};

// Loads the shared library `file` for the rest of the process. kUnsupported when it is not there,
// or is another version than the headers prof was built with.
Result<ZydisLibrary> LoadZydisLibrary(const char* file);

// The one of this machine, loaded by the first call; later ones get the same answer. Any thread.
const Result<ZydisLibrary>& TheZydisLibrary();

// The same where it is known to be loaded: below every X86Disassembler.
inline const ZydisLibrary& Zydis() { return *TheZydisLibrary(); }

}  // namespace prof::disasm::x86
