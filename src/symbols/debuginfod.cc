// Calls libdebuginfod (elfutils' debuginfod.h), found at run time.
#include "symbols/debuginfod.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "prof/base/clock.h"

namespace prof::symbols {

// The functions of debuginfod.h that are used, with its types.
struct Debuginfod::Library {
  debuginfod_client* (*begin)();
  void (*end)(debuginfod_client*);
  int (*find_debuginfo)(debuginfod_client*, const unsigned char* build_id, int length, char** path);
  void (*set_progressfn)(debuginfod_client*, int (*)(debuginfod_client*, long, long));
  void (*set_user_data)(debuginfod_client*, void*);
};

namespace {

// Apart from the others: the progress function is given nothing but the client.
void* (*get_user_data)(debuginfod_client*) = nullptr;

template <class Function>
bool Bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// As the library chooses it (debuginfod_find_debuginfo(3)); empty: not known.
std::string CacheFolder() {
  if (auto path = Variable("DEBUGINFOD_CACHE_PATH"); !path.empty()) return path;
  const std::string home = Variable("HOME");
  if (std::string old = home + "/.debuginfod_client_cache"; ::access(old.c_str(), F_OK) == 0)
    return old;
  if (auto cache = Variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/debuginfod_client";
  return home.empty() ? home : home + "/.cache/debuginfod_client";
}

// The library takes a transfer that was ended for a file that no server has, and notes that with an
// empty file for the next ten minutes.
void ForgetMiss(const model::BuildId& id) {
  const std::string folder = CacheFolder();
  const std::string path = folder + "/" + id.Hex() + "/debuginfo";
  struct stat status {};
  if (!folder.empty() && ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size == 0) {
    ::unlink(path.c_str());
  }
}

}  // namespace

Result<std::unique_ptr<Debuginfod>> Debuginfod::Load(DebuginfodOptions options) {
  const char* urls = std::getenv("DEBUGINFOD_URLS");
  if (urls == nullptr || *urls == '\0') {
    return Fail(ErrorKind::kUsage, "--debuginfod: DEBUGINFOD_URLS names no server",
                "export DEBUGINFOD_URLS=https://debuginfod.elfutils.org");
  }
  constexpr const char* kHint =
      "apt-get install libdebuginfod1, or dnf install elfutils-debuginfod-client";
  // It stays loaded: its HTTP client registers things that must not go away.
  void* handle = ::dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Fail(ErrorKind::kUnsupported, "--debuginfod: libdebuginfod.so.1 is not installed",
                kHint);
  }
  auto library = std::make_unique<Library>();
  if (!Bind(handle, "debuginfod_begin", library->begin) ||
      !Bind(handle, "debuginfod_end", library->end) ||
      !Bind(handle, "debuginfod_find_debuginfo", library->find_debuginfo) ||
      !Bind(handle, "debuginfod_set_progressfn", library->set_progressfn) ||
      !Bind(handle, "debuginfod_set_user_data", library->set_user_data) ||
      !Bind(handle, "debuginfod_get_user_data", get_user_data)) {
    return Fail(ErrorKind::kUnsupported, "--debuginfod: libdebuginfod.so.1 is too old", kHint);
  }
  std::unique_ptr<Debuginfod> result(new Debuginfod);
  result->client_ = library->begin();
  if (result->client_ == nullptr) {
    return Fail(ErrorKind::kSystem, "--debuginfod: libdebuginfod does not start");
  }
  result->left_ns_ = static_cast<std::uint64_t>(options.deadline_s * 1e9);
  result->options_ = std::move(options);
  library->set_user_data(result->client_, result.get());
  library->set_progressfn(result->client_, OnProgress);
  result->library_ = std::move(library);
  return result;
}

Debuginfod::~Debuginfod() {
  if (client_ != nullptr && library_ != nullptr) library_->end(client_);
}

bool Debuginfod::Continue(long done, long total) const {
  if (options_.progress) options_.progress(*asked_for_, done, total);
  return MonotonicNs() < stop_at_ns_;
}

// Called about once a second, also while nothing arrives; anything but 0 ends the transfer.
int Debuginfod::OnProgress(debuginfod_client* client, long done, long total) {
  const auto* self = static_cast<const Debuginfod*>(get_user_data(client));
  return self->Continue(done, total) ? 0 : 1;
}

Result<UniqueFd> Debuginfod::Find(const model::BuildId& id, const std::string& name) {
  if (id.empty() || missing_.contains(id)) {
    return Fail(ErrorKind::kNotFound, "no server has it");
  }
  auto found = Ask(id, name);
  if (found) {
    ++counts_.found;
  } else if (found.error().kind == ErrorKind::kNotFound) {
    missing_.insert(id);
    ++counts_.missing;
  } else {
    ++counts_.failed;
  }
  return found;
}

Result<UniqueFd> Debuginfod::Ask(const model::BuildId& id, const std::string& name) {
  const auto late = [this] {
    return Fail(
        ErrorKind::kSystem,
        "the deadline of " + std::to_string(static_cast<long>(options_.deadline_s)) + " s is over");
  };
  if (left_ns_ == 0) return late();
  const std::uint64_t begin_ns = MonotonicNs();
  stop_at_ns_ = begin_ns + left_ns_;
  asked_for_ = &name;
  char* path = nullptr;
  const int fd =
      library_->find_debuginfo(client_, reinterpret_cast<const unsigned char*>(id.bytes().data()),
                               static_cast<int>(id.bytes().size()), &path);
  std::free(path);
  const std::uint64_t took_ns = MonotonicNs() - begin_ns;
  left_ns_ = took_ns < left_ns_ ? left_ns_ - took_ns : 0;
  if (fd >= 0) return UniqueFd(fd);
  if (left_ns_ == 0) {
    ForgetMiss(id);
    return late();
  }
  if (fd == -ENOENT) return Fail(ErrorKind::kNotFound, "no server has it");
  auto failure = FailErrno(-fd, "the servers in DEBUGINFOD_URLS");
  failure.error().kind = ErrorKind::kSystem;
  return failure;
}

}  // namespace prof::symbols
