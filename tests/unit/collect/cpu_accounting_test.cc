#include "collect/cpu_accounting.h"

#include <gtest/gtest.h>

#include <memory>

namespace prof::collect {
namespace {

ThreadState Ended(std::uint32_t pid, const char* name, std::uint64_t used_ns,
                  std::uint64_t samples) {
  auto process = std::make_shared<ProcessState>();
  process->pid = pid;
  process->used_ns = used_ns;
  process->samples = samples;
  return {.tid = pid, .process = std::move(process), .name = name, .used_ns = used_ns};
}

const model::CpuUsage& Of(const std::vector<model::CpuUsage>& usage, const std::string& comm) {
  for (const model::CpuUsage& entry : usage) {
    if (entry.comm == comm) return entry;
  }
  ADD_FAILURE() << "no " << comm;
  return usage.front();
}

TEST(CpuAccounting, TimeOutsideOfTheCountersIsSharedByProcesses) {
  CpuAccounting accounting;
  for (std::uint32_t pid = 1; pid <= 3; ++pid)
    accounting.AddThread(Ended(pid, "storm", 1000, pid == 1 ? 1 : 0));
  accounting.AddThread(Ended(4, "sh", 5000, 2));
  accounting.ShareRest(400);
  const auto usage = accounting.Usage();
  EXPECT_EQ(Of(usage, "storm").used_ns, 3300U);
  EXPECT_EQ(Of(usage, "storm").unsampled_processes, 2U);
  EXPECT_EQ(Of(usage, "storm").unsampled_used_ns, 2200U);
  EXPECT_EQ(Of(usage, "sh").used_ns, 5100U);
}

TEST(CpuAccounting, SamplesOfEndingTasksTellWhoseTheTimeWas) {
  CpuAccounting accounting;
  ThreadState large = Ended(1, "cc1plus", 9000, 9);
  large.exiting_sampled_ns = 3000;
  accounting.AddThread(large);
  accounting.AddThread(Ended(2, "sh", 1000, 0));
  accounting.ShareRest(500);
  const auto usage = accounting.Usage();
  EXPECT_EQ(Of(usage, "cc1plus").used_ns, 9500U);
  EXPECT_EQ(Of(usage, "sh").used_ns, 1000U);
  EXPECT_EQ(Of(usage, "sh").unsampled_used_ns, 1000U);
}

}  // namespace
}  // namespace prof::collect
