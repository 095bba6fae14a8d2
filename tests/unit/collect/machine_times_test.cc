// What the whole machine did meanwhile, with a /proc/stat that tests write.
#include "collect/machine_times.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "collect/cpu_time.h"
#include "support/temp_dir.h"

namespace prof::collect {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

class Load : public ::testing::Test {
 protected:
  // Of all CPUs since the start, in ticks.
  void Put(std::uint64_t user, std::uint64_t steal) const {
    std::filesystem::create_directories(folder_.path() / "proc");
    std::ofstream(folder_.path() / "proc/stat")
        << "cpu  " << user << " 0 0 5000 0 0 0 " << steal << " 0 0\n";
  }
  [[nodiscard]] HostFs fs() const { return HostFs(folder_.path().string()); }
  static std::uint64_t TickNs() {
    return 1'000'000'000U / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  }

 private:
  test::TempDir folder_;
};

TEST_F(Load, OthersUsedWhatNeitherTheTargetNorProfDid) {
  Put(1000, 10);
  LoadMeter meter;
  meter.Begin(fs(), 200 * kMs);  // during a delay
  const std::uint64_t begin_ns = OwnCpuTimeNs();
  while (OwnCpuTimeNs() - begin_ns < 50 * kMs) {
  }
  Put(2000, 30);
  meter.End(fs());
  model::RecordingEnd end;
  meter.Report(500 * kMs, end);
  EXPECT_EQ(end.steal_ns, 20 * TickNs());
  // Nobody knows prof's own time better than it does.
  EXPECT_LE(end.other_cpu_ns, 1000 * TickNs() - 300 * kMs - 50 * kMs);
  EXPECT_GE(end.other_cpu_ns, 1000 * TickNs() - 300 * kMs - 5000 * kMs);
}

TEST_F(Load, MoreThanTheTicksSawIsNothing) {
  Put(1000, 10);
  LoadMeter meter;
  meter.Begin(fs(), 0);
  Put(1002, 9);
  meter.End(fs());
  model::RecordingEnd end;
  meter.Report(10'000 * kMs, end);
  EXPECT_EQ(end.other_cpu_ns, 0u);
  EXPECT_EQ(end.steal_ns, 0u);  // went backwards
}

TEST_F(Load, WithoutATargetOnlyStealIsKnown) {
  Put(1000, 10);
  LoadMeter meter;
  meter.Begin(fs(), 0);
  Put(1100, 11);
  meter.End(fs());
  model::RecordingEnd end;
  meter.Report(model::kNotKnown, end);
  EXPECT_EQ(end.other_cpu_ns, model::kNotKnown);
  EXPECT_EQ(end.steal_ns, TickNs());
}

TEST_F(Load, NothingIsKnownOfSamplingThatNeverBeganOrWithoutProc) {
  model::RecordingEnd end;
  LoadMeter never;
  Put(1000, 10);
  never.End(fs());
  never.Report(kMs, end);
  EXPECT_EQ(end.other_cpu_ns, model::kNotKnown);
  EXPECT_EQ(end.steal_ns, model::kNotKnown);
  const test::TempDir empty;
  LoadMeter blind;
  blind.Begin(HostFs(empty.path().string()), 0);
  blind.End(HostFs(empty.path().string()));
  blind.Report(kMs, end);
  EXPECT_EQ(end.other_cpu_ns, model::kNotKnown);
  EXPECT_EQ(end.steal_ns, model::kNotKnown);
}

}  // namespace
}  // namespace prof::collect
