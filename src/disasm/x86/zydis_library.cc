#include "disasm/x86/zydis_library.h"

#include <dlfcn.h>

#include <string>

namespace prof::disasm::x86 {
namespace {

constexpr auto kMajor = ZYDIS_VERSION_MAJOR(ZYDIS_VERSION);
constexpr auto kMinor = ZYDIS_VERSION_MINOR(ZYDIS_VERSION);

std::string VersionText() { return std::to_string(kMajor) + "." + std::to_string(kMinor); }

template <class Function>
bool Bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

std::unexpected<Error> Unusable(const std::string& why) {
  return Fail(ErrorKind::kUnsupported, "libZydis " + why + ": x86 cannot be disassembled",
              "apt-get install libzydis" + VersionText());
}

}  // namespace

Result<ZydisLibrary> LoadZydisLibrary(const char* file) {
  void* handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Unusable(VersionText() + " is not installed");
  ZydisLibrary library;
  if (!Bind(handle, "ZydisGetVersion", library.get_version) ||
      !Bind(handle, "ZydisDecoderInit", library.decoder_init) ||
      !Bind(handle, "ZydisDecoderEnableMode", library.decoder_enable_mode) ||
      !Bind(handle, "ZydisDecoderDecodeFull", library.decode) ||
      !Bind(handle, "ZydisMnemonicGetStringWrapped", library.mnemonic_name) ||
      !Bind(handle, "ZydisRegisterGetStringWrapped", library.register_name) ||
      !Bind(handle, "ZydisRegisterGetClass", library.register_class) ||
      !Bind(handle, "ZydisRegisterGetId", library.register_number)) {
    ::dlclose(handle);
    return Unusable("lacks functions");
  }
  // The layout of what it decodes into belongs to the version.
  const ZyanU64 version = library.get_version();
  if (ZYDIS_VERSION_MAJOR(version) != kMajor || ZYDIS_VERSION_MINOR(version) != kMinor) {
    ::dlclose(handle);
    return Unusable("is not version " + VersionText());
  }
  return library;
}

const Result<ZydisLibrary>& TheZydisLibrary() {
  static const Result<ZydisLibrary> library =
      LoadZydisLibrary(("libZydis.so." + VersionText()).c_str());
  return library;
}

}  // namespace prof::disasm::x86
