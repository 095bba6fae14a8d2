#include "report/text_fit.h"

#include <gtest/gtest.h>

namespace prof::report {
namespace {

TEST(TextFitTest, NamesThatFitStayAsTheyAre) {
  EXPECT_EQ(FitName("std::vector<int>::push_back", 40), "std::vector<int>::push_back");
}

TEST(TextFitTest, LongestTemplateArgumentsGoFirst) {
  const std::string name = "a::map<unsigned long long, std::string>::find<int*>";
  EXPECT_EQ(FitName(name, 30), "a::map<...>::find<int*>");
  EXPECT_EQ(FitName(name, 23), "a::map<...>::find<int*>");
}

TEST(TextFitTest, ParametersGoAfterTemplateArguments) {
  EXPECT_EQ(FitName("f<std::string>(std::string const&, int)", 16), "f<...>(...)");
  EXPECT_EQ(FitName("f<std::string>(std::string const&, int)", 8), "f<...>");
}

TEST(TextFitTest, MiddleIsCutLast) {
  EXPECT_EQ(FitName("abcdefghijklmnopqrstuvwxyz", 11), "abc...vwxyz");
  EXPECT_EQ(DisplayWidth(FitName("abcdefghijklmnopqrstuvwxyz", 1)), 4U);
}

TEST(TextFitTest, OperatorsAreNotBrackets) {
  EXPECT_EQ(FitName("operator<< <std::char_traits<char> >", 20), "operator<< <...>");
  EXPECT_EQ(FitName("a::operator->", 13), "a::operator->");
}

TEST(TextFitTest, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(DisplayWidth("größe"), 5U);
  EXPECT_EQ(FitName("ööööööööööööö", 7), "ö...ööö");
  EXPECT_EQ(PadRight("ö", 3), "ö  ");
  EXPECT_EQ(PadLeft("ö", 3), "  ö");
}

TEST(TextFitTest, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(Printable("a\033[31mb\n"), "a?[31mb?");
  EXPECT_EQ(Printable("a\xc2\x9b"
                      "31m \xc2\xa0\xc3\xa4 \xc2"),
            "a?31m \xc2\xa0\xc3\xa4 \xc2")
      << "also those of 8 bits";
}

TEST(TextFitTest, SentencesAreWrappedAtSpaces) {
  EXPECT_EQ(WrapWords("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(WrapWords("unbreakable", 3), (std::vector<std::string>{"unbreakable"}));
}

TEST(TextFitTest, NumbersStayWithTheirPercentSign) {
  EXPECT_EQ(WrapWords("it is 12.3 % of all", 10),
            (std::vector<std::string>{"it is", "12.3 % of", "all"}));
}

TEST(TextFitTest, TabsReachTheNextStop) {
  EXPECT_EQ(ExpandTabs("\ta\tb"), "        a       b");
  EXPECT_EQ(ExpandTabs("\xc3\xa4\tb"), "\xc3\xa4       b");
}

TEST(TextFitTest, CutTextKeepsTheBeginning) {
  EXPECT_EQ(CutText("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(CutText("abcdefghi", 8), "abcde...");
  EXPECT_EQ(CutText("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f+", 4), "\xc3\xa4...");
  EXPECT_EQ(CutText("abcdefgh", 1), "a...");
}

TEST(TextFitTest, SourceLosesItsIndentationFirst) {
  EXPECT_EQ(FitSource("    f(x);", 9), "    f(x);");
  EXPECT_EQ(FitSource("    f(x);", 7), "  f(x);");
  EXPECT_EQ(FitSource("    f(x, y);", 7), "f(x,...");
  EXPECT_EQ(FitSource("        ", 4), "    ");
}

}  // namespace
}  // namespace prof::report
