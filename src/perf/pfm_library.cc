// Finds the functions of libpfm4 at run time.
#include "perf/pfm_library.h"

#include <dlfcn.h>

#include <string>

namespace prof::perf {

namespace {

template <class Function>
bool Bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

std::unexpected<Error> Unusable(const std::string& why) {
  return Fail(ErrorKind::kUnsupported,
              "libpfm4 " + why + ": names of the CPU vendor's manuals are unknown",
              "apt-get install libpfm4, or dnf install libpfm");
}

}  // namespace

Result<PfmLibrary> LoadPfmLibrary(const char* file) {
  void* handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Unusable("is not installed");
  PfmLibrary library;
  if (!Bind(handle, "pfm_initialize", library.initialize) ||
      !Bind(handle, "pfm_terminate", library.terminate) ||
      !Bind(handle, "pfm_get_os_event_encoding", library.get_os_event_encoding) ||
      !Bind(handle, "pfm_get_pmu_info", library.get_pmu_info) ||
      !Bind(handle, "pfm_get_event_next", library.get_event_next) ||
      !Bind(handle, "pfm_get_event_info", library.get_event_info) ||
      !Bind(handle, "pfm_get_event_attr_info", library.get_event_attr_info)) {
    ::dlclose(handle);
    return Unusable("is too old");
  }
  return library;
}

const Result<PfmLibrary>& ThePfmLibrary() {
  static const Result<PfmLibrary> library = LoadPfmLibrary("libpfm.so.4");
  return library;
}

}  // namespace prof::perf
