// Numbers threads and processes of one name.
#include "analysis/diff/task_numbers.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace prof::analysis::diff {
namespace {

struct Task {
  std::uint64_t start_ns = model::kUnknownTime;
  bool named = false;  // by the thread whose name counts
  NameIndex name = kNoIndex;
};

std::unordered_map<std::uint32_t, TaskId> Number(const Profile& profile, bool processes,
                                                 KeyTable& keys) {
  std::map<std::uint32_t, Task> tasks;
  for (const ThreadInfo& thread : profile.threads()) {
    const std::uint32_t id = processes ? thread.pid : thread.tid;
    Task& task = tasks[id];
    task.start_ns = std::min(task.start_ns, thread.start_ns);
    const bool names_it = thread.tid == id;
    if (task.named && !names_it) continue;
    task.named = names_it;
    task.name = thread.names.back().second;
  }
  std::vector<std::tuple<std::uint64_t, std::uint32_t, NameIndex>> order;
  order.reserve(tasks.size());
  for (const auto& [id, task] : tasks) order.emplace_back(task.start_ns, id, task.name);
  std::ranges::sort(order);
  std::unordered_map<NameIndex, std::uint32_t> count;
  std::unordered_map<std::uint32_t, TaskId> numbers;
  for (const auto& [start_ns, id, name] : order) {
    numbers[id] = keys.Task({.name = keys.Text(profile.Name(name)), .number = ++count[name]});
  }
  return numbers;
}

}  // namespace

TaskNumbers::TaskNumbers(const Profile& profile, KeyTable& keys)
    : processes_(Number(profile, true, keys)), threads_(Number(profile, false, keys)) {}

}  // namespace prof::analysis::diff
