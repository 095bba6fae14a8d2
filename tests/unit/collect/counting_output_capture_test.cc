// Numbers found in output that is passed on whole.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "collect/counting/output_capture.h"

namespace prof::collect {
namespace {

std::vector<MetricSource> Metrics(const std::vector<std::string>& patterns) {
  std::vector<MetricSource> metrics;
  for (const std::string& text : patterns) {
    auto pattern = TextPattern::Compile(text, "--metric");
    metrics.push_back({.definition = {.pattern = text}, .pattern = std::move(*pattern)});
  }
  return metrics;
}

TEST(NumberSearchTest, OnlyFiniteNumbersAreNumbers) {
  EXPECT_EQ(ParseFiniteNumber("1.5"), 1.5);
  EXPECT_EQ(ParseFiniteNumber(" +2e3\t"), 2000);
  EXPECT_EQ(ParseFiniteNumber("-7"), -7);
  for (const char* text : {"", " ", "1.5s", "1,000", "nan", "inf", "+-1", "0x10", "1e999", "1 2"})
    EXPECT_FALSE(ParseFiniteNumber(text)) << text;
}

TEST(NumberSearchTest, TheLastNumberCounts) {
  const auto metrics = Metrics({R"(t=(\S+))", "rate ([0-9.]+)"});
  NumberSearch search(metrics);
  search.Look("t=1 t=2");
  EXPECT_EQ(search.FirstMissing(), 1u);
  search.Look("t=3, rate 50");
  search.Look("t=slow");  // no number
  EXPECT_EQ(search.Values(), (std::vector<double>{2, 50}));
  EXPECT_FALSE(search.FirstMissing());
}

TEST(LineSplitterTest, LinesComeWholeHoweverTheBytesCome) {
  std::vector<std::string> lines;
  LineSplitter splitter([&](std::string_view line) { lines.emplace_back(line); });
  for (const char* piece : {"ab", "c\nd\r", "\ne\rf", "g"}) splitter.Feed(piece);
  EXPECT_EQ(lines, (std::vector<std::string>{"abc", "d", "e"}));
  splitter.Finish();
  EXPECT_EQ(lines.back(), "fg");
}

TEST(LineSplitterTest, EndlessLinesAreCut) {
  std::vector<std::string> lines;
  LineSplitter splitter([&](std::string_view line) { lines.emplace_back(line); });
  const std::string piece(10'000, 'x');
  for (int i = 0; i < 100; ++i) splitter.Feed(piece);
  splitter.Feed("\nshort\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].size(), 64u * 1024);
  EXPECT_EQ(lines[1], "short");
}

class Capture : public ::testing::Test {
 protected:
  void SetUp() override {
    old_ = ::signal(SIGPIPE, SIG_IGN);
    ASSERT_EQ(::pipe(own_), 0);
    auto capture = OutputCapture::Open({.out = own_[1], .err = own_[1]}, search_);
    ASSERT_TRUE(capture);
    capture_ = std::move(*capture);
    command_out_ = UniqueFd(::dup(capture_->command_ends().out));
    command_err_ = UniqueFd(::dup(capture_->command_ends().err));
    capture_->CloseCommandEnds();
  }
  void TearDown() override {
    ::close(own_[1]);
    if (own_[0] >= 0) ::close(own_[0]);
    ::signal(SIGPIPE, old_);
  }
  static void Print(const UniqueFd& to, const std::string& text) {
    ASSERT_EQ(::write(to.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] std::string Passed(std::size_t size) const {
    std::string text(size, '\0');
    const ssize_t got = ::read(own_[0], text.data(), size);
    text.resize(static_cast<std::size_t>(got));
    return text;
  }

  const std::vector<MetricSource> metrics_ = Metrics({"v=([0-9]+)"});
  NumberSearch search_{metrics_};
  std::unique_ptr<OutputCapture> capture_;
  UniqueFd command_out_, command_err_;
  int own_[2] = {-1, -1};
  sighandler_t old_ = SIG_DFL;
};

TEST_F(Capture, PassesEveryByteOnAndLooksAtBothStreams) {
  Print(command_out_, "v=1\n");
  capture_->Move();
  Print(command_err_, std::string("no\0 v=2", 7));
  capture_->Move();
  EXPECT_EQ(Passed(100), std::string("v=1\nno\0 v=2", 11));
  EXPECT_EQ(search_.Values(), std::vector<double>{1});  // the line may go on
  EXPECT_FALSE(capture_->AtEnd());
  command_out_.Reset();
  command_err_.Reset();
  capture_->Move();
  EXPECT_TRUE(capture_->AtEnd());
  capture_->Finish();
  EXPECT_EQ(search_.Values(), std::vector<double>{2});
}

TEST_F(Capture, WaitsForASlowReaderWithoutBlocking) {
  const std::string block(60'000, 'x');
  Print(command_out_, block);
  capture_->Move();
  Print(command_out_, block);
  capture_->Move();
  std::size_t passed = 0;
  while (passed < 2 * block.size()) {
    passed += Passed(60'000).size();
    capture_->Move();
  }
  EXPECT_EQ(passed, 2 * block.size());
}

TEST_F(Capture, ReadsWhatTheCommandWroteAndNotWhatItsChildrenGoOnWriting) {
  Print(command_out_, "v=8\n");
  capture_->CommandEnded();
  Print(command_out_, "v=9\n");
  capture_->LeaveChildren();
  for (int i = 0; i < 3; ++i) capture_->Move();
  EXPECT_TRUE(capture_->AtEnd());
  EXPECT_EQ(search_.Values(), std::vector<double>{8});
  EXPECT_EQ(Passed(100), "v=8\n");
}

TEST_F(Capture, GoesOnLookingWhenNobodyReadsItsOutput) {
  ::close(own_[0]);
  own_[0] = -1;
  for (const char* line : {"v=3\n", "v=4\n"}) {
    Print(command_out_, line);
    capture_->Move();
  }
  EXPECT_EQ(search_.Values(), std::vector<double>{4});
}

}  // namespace
}  // namespace prof::collect
