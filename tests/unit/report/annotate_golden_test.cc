// Whole outputs of `prof annotate`; PROF_REGENERATE=1 writes them anew after a wanted change.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "unit/report/annotate_data.h"

#include "prof/report/annotate_text.h"

namespace prof::report {
namespace {

struct Case {
  const char* file;
  std::function<std::string()> render;
};

std::string Render(const AnnotateTextOptions& options) {
  return RenderAnnotation(test::Multiply(), test::WholeFile(), options);
}

std::string Compare(const AnnotateTextOptions& options) {
  return RenderComparison(test::MultiplyChanged(), test::WholeFile("before.prof"),
                          test::WholeFile("after.prof"), options);
}

const Case kCases[] = {
    {"mixed.80.txt", [] { return Render({.width = 80}); }},
    {"mixed.120.txt", [] { return Render({.width = 120}); }},
    {"mixed.pipe.txt", [] { return Render({}); }},
    {"mixed.color.txt", [] { return Render({.width = 80, .color = true}); }},
    {"mixed.samples.txt", [] { return Render({.width = 80, .show_samples = true}); }},
    {"mixed.two-events.80.txt",
     [] { return RenderAnnotation(test::TwoEvents(), test::WholeFile(), {.width = 80}); }},
    {"mixed.inlined-copy.80.txt",
     [] { return RenderAnnotation(test::InlinedCopy(), test::WholeFile(), {.width = 80}); }},
    {"mixed.no-text.80.txt",
     [] { return RenderAnnotation(test::WithoutText(), test::WholeFile(), {.width = 80}); }},
    {"mixed.no-lines.80.txt",
     [] { return RenderAnnotation(test::WithoutLines(), test::WholeFile(), {.width = 80}); }},
    {"mixed.no-code.80.txt",
     [] { return RenderAnnotation(test::WithoutCode(), test::CutFile(), {.width = 80}); }},
    {"source.80.txt", [] { return Render({.view = AnnotateView::kSourceOnly, .width = 80}); }},
    {"source.two-events.120.txt",
     [] {
       return RenderAnnotation(test::TwoEvents(), test::WholeFile(),
                               {.view = AnnotateView::kSourceOnly, .width = 120});
     }},
    {"source.two-events.80.txt",
     [] {
       return RenderAnnotation(test::TwoEvents(), test::WholeFile(),
                               {.view = AnnotateView::kSourceOnly, .width = 80});
     }},
    {"asm.80.txt", [] { return Render({.view = AnnotateView::kAsmOnly, .width = 80}); }},
    {"asm.raw.lines.120.txt",
     [] {
       return Render(
           {.view = AnnotateView::kAsmOnly, .width = 120, .raw_bytes = true, .line_numbers = true});
     }},
    {"comparison.80.txt", [] { return Compare({.width = 80}); }},
    {"comparison.color.txt", [] { return Compare({.width = 120, .color = true}); }},
    {"comparison.pipe.txt", [] { return Compare({}); }},
};

class AnnotateGoldenTest : public testing::TestWithParam<Case> {};

TEST_P(AnnotateGoldenTest, PrintsWhatItPrintedBefore) {
  const std::string path = std::string(PROF_TEST_DATA "/../golden/annotate/") + GetParam().file;
  const std::string text = GetParam().render();
  if (std::getenv("PROF_REGENERATE") != nullptr) std::ofstream(path) << text;
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str());
}

INSTANTIATE_TEST_SUITE_P(Outputs, AnnotateGoldenTest, testing::ValuesIn(kCases),
                         [](const auto& test) {
                           std::string name = test.param.file;
                           std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
                           return name;
                         });

}  // namespace
}  // namespace prof::report
