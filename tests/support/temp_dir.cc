// Makes and removes test folders.
#include "support/temp_dir.h"

#include <cstdlib>
#include <system_error>

namespace prof::test {

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "prof-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace prof::test
