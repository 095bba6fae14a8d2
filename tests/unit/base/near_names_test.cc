// What somebody may have meant.
#include "prof/base/near_names.h"

#include <gtest/gtest.h>

namespace prof {
namespace {

using Names = std::vector<std::string>;

TEST(NearNamesTest, FindsMistypedNamesNearestFirst) {
  EXPECT_EQ(NearestNames("recrod", {"report", "record"}, 1), Names{"record"});
  EXPECT_EQ(NearestNames("cycels", {"instructions", "cycles", "cpu-cycles"}, 5).front(), "cycles");
}

TEST(NearNamesTest, FindsNamesThatContainTheText) {
  EXPECT_EQ(NearestNames("faults", {"page-faults", "cycles"}, 5), Names{"page-faults"});
}

TEST(NearNamesTest, OffersNothingFarAway) {
  EXPECT_TRUE(NearestNames("xyz", {"record", "report"}, 5).empty());
}

TEST(NearNamesTest, SaysItInWords) {
  EXPECT_EQ(DidYouMean({"record"}, "x"), "did you mean 'record'?");
  EXPECT_EQ(DidYouMean({}, "prof --help"), "prof --help");
}

}  // namespace
}  // namespace prof
