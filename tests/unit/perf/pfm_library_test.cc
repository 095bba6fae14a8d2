// Loading libpfm4, and doing without it.
#include "perf/pfm_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prof::perf {
namespace {

using testing::HasSubstr;

TEST(PfmLibraryTest, WithoutTheLibraryTheErrorNamesWhatIsMissingAndItsPackage) {
  const auto library = LoadPfmLibrary("libprof_no_such_library.so.4");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(library.error().message,
            "libpfm4 is not installed: names of the CPU vendor's manuals are unknown");
  EXPECT_THAT(library.error().hint, HasSubstr("apt-get install libpfm4"));
}

TEST(PfmLibraryTest, ALibraryWithoutTheFunctionsIsRefused) {
  const auto library = LoadPfmLibrary("libc.so.6");
  ASSERT_FALSE(library);
  EXPECT_THAT(library.error().message, HasSubstr("libpfm4 is too old"));
}

TEST(PfmLibraryTest, TheLibraryIsLoadedOnce) {
  const Result<PfmLibrary>& library = ThePfmLibrary();
  ASSERT_TRUE(library) << library.error().message;
  EXPECT_EQ(library->initialize(), PFM_SUCCESS);
  library->terminate();
  EXPECT_EQ(&ThePfmLibrary(), &library);
}

}  // namespace
}  // namespace prof::perf
