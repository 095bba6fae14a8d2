// Loads one library, burns in it, unloads it, then the same with another, which usually lands at
// the same address. usage: dlopen_midrun [MILLISECONDS=500]      (per library)
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

// Returns where the function was, to show whether the second library took the place of the first.
static void* RunPlugin(const std::string& path, const char* function, double seconds) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "dlopen_midrun: %s\n", ::dlerror());
    std::exit(1);
  }
  void* address = ::dlsym(library, function);
  reinterpret_cast<void (*)(double)>(address)(seconds);
  ::dlclose(library);
  return address;
}

int main(int argc, char** argv) {
  const double seconds = (argc > 1 ? std::atof(argv[1]) : 500) / 1000;
  const std::string self = argv[0];
  const std::size_t slash = self.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : self.substr(0, slash);
  const void* first = RunPlugin(folder + "/libplugin_first.so", "first_plugin_work", seconds);
  const void* second = RunPlugin(folder + "/libplugin_second.so", "second_plugin_work", seconds);
  std::printf("first_plugin_work 50 %% at %p\nsecond_plugin_work 50 %% at %p\n", first, second);
}
