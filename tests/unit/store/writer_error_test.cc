// Errors of the output reach the caller, once and then for good.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "sample_records.h"
#include "store_file.h"

namespace prof::store::test {
namespace {

// Takes back what the test changed of the process.
class SignalIgnored {
 public:
  explicit SignalIgnored(int signal) : signal_(signal), before_(::signal(signal, SIG_IGN)) {}
  ~SignalIgnored() { ::signal(signal_, before_); }
  SignalIgnored(const SignalIgnored&) = delete;
  SignalIgnored& operator=(const SignalIgnored&) = delete;

 private:
  int signal_;
  sighandler_t before_;
};

TEST(WriterErrorTest, FullDeviceFailsAtOnceAndNamesTheFile) {
  auto writer = Writer::Create(UniqueFd(::open("/dev/full", O_WRONLY)), "out/prof.data", {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().kind, ErrorKind::kSystem);
  EXPECT_EQ(writer.error().message, "cannot write out/prof.data: No space left on device");
}

TEST(WriterErrorTest, ClosedPipeIsAnErrorOfEveryLaterCall) {
  const SignalIgnored no_sigpipe(SIGPIPE);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto writer = Writer::Create(UniqueFd(ends[1]), "pipe", {});
  ASSERT_TRUE(writer);
  ::close(ends[0]);
  ASSERT_TRUE((*writer)->Append(FullInfo()));
  const Status flushed = (*writer)->Flush();
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().message, "cannot write pipe: Broken pipe");
  EXPECT_FALSE((*writer)->Append(model::Sample{}));
  EXPECT_FALSE((*writer)->Flush());
  EXPECT_FALSE((*writer)->Finish());
}

TEST(WriterErrorTest, WhatWasWrittenBeforeTheErrorIsReadable) {
  const SignalIgnored no_sigxfsz(SIGXFSZ);
  StoreFile file;
  auto writer = Writer::Create(Create(file.path()), "prof.data", {.block_bytes = 512});
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->Append(FullInfo()));
  ASSERT_TRUE((*writer)->Append(FullEvent(0)));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 2000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  Status status;
  for (std::uint64_t i = 0; i < 10'000 && status; ++i) {
    status = (*writer)->Append(model::Sample{.time_ns = i * i, .weight = i * 77});
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "cannot write prof.data: File too large");
  writer->reset();
  const Replayed replayed = file.Replay();
  ASSERT_TRUE(replayed.ok) << replayed.error.message;
  EXPECT_GT(replayed.records.size(), 20u);
  EXPECT_GT(replayed.summary.cut_bytes, 0u);
  EXPECT_FALSE(replayed.summary.complete);
}

TEST(WriterErrorTest, NothingMayComeAfterFinish) {
  StoreFile file;
  auto writer = Writer::Create(Create(file.path()), "prof.data", {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->Finish());
  const Status late = (*writer)->Append(model::Sample{});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().kind, ErrorKind::kInternal);
}

TEST(WriterErrorTest, AnUnfinishedWriterKeepsWhatItGot) {
  StoreFile file;
  {
    auto writer = Writer::Create(Create(file.path()), "prof.data", {});
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->Append(FullInfo()));
  }
  EXPECT_EQ(file.Replay().records.size(), 1u);
}

TEST(WriterErrorTest, NonBlockingPipeIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  ASSERT_GT(::fcntl(ends[1], F_SETPIPE_SZ, 4096), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    auto writer = Writer::Create(UniqueFd(ends[1]), "pipe", {.compression_level = 0});
    bool ok = writer.has_value();
    for (std::uint64_t i = 0; i < 20'000 && ok; ++i) {
      ok = (*writer)->Append(model::Loss{.count = i * i}).has_value();
    }
    ::_exit(ok && (*writer)->Finish() ? 0 : 1);
  }
  ::close(ends[1]);
  const Replayed replayed = ReplayFrom(Reader::FromFd(UniqueFd(ends[0]), "pipe"));
  EXPECT_TRUE(replayed.ok) << replayed.error.message;
  EXPECT_EQ(replayed.records.size(), 20'000u);
}

}  // namespace
}  // namespace prof::store::test
