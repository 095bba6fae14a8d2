// Errors made of an errno.
#include "prof/base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace prof {
namespace {

TEST(FailErrnoTest, SaysWhatFailedAndWhy) {
  const Error error = FailErrno(EACCES, "cannot write x").error();
  EXPECT_EQ(error.kind, ErrorKind::kPermission);
  EXPECT_EQ(error.message, "cannot write x: Permission denied");
  EXPECT_EQ(error.hint, "");
}

TEST(FailErrnoTest, LimitsHaveTheirRemedyUnlessTheCallerKnowsABetterOne) {
  EXPECT_NE(FailErrno(EMFILE, "pipe").error().hint.find("ulimit -n"), std::string::npos);
  EXPECT_EQ(FailErrno(EMFILE, "pipe", "fewer threads").error().hint, "fewer threads");
}

}  // namespace
}  // namespace prof
