// Interns keys.
#include "analysis/diff/key_table.h"

namespace prof::analysis::diff {
namespace {

template <class Key>
std::uint32_t Intern(IndexTable& table, std::vector<Key>& keys, std::uint64_t hash,
                     const Key& key) {
  const auto fresh = static_cast<std::uint32_t>(keys.size());
  const std::uint32_t found =
      table.FindOrInsert(hash, fresh, [&](std::uint32_t index) { return keys[index] == key; });
  if (found == fresh) keys.push_back(key);
  return found;
}

std::uint64_t Pair(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }

}  // namespace

FunctionId KeyTable::Function(const FunctionKey& key) {
  const std::uint64_t hash = MixHash(Pair(key.module, key.name), key.kernel ? 1 : 0);
  return Intern(function_table_, functions_, hash, key);
}

TaskId KeyTable::Task(const TaskKey& key) {
  return Intern(task_table_, tasks_, MixHash(key.name, key.number), key);
}

RowId KeyTable::Row(const RowKey& key) {
  const std::uint64_t task = MixHash(Pair(key.comm, key.process), Pair(key.thread, key.cpu));
  const std::uint64_t code = MixHash(Pair(key.function, key.file), key.line);
  return Intern(row_table_, rows_, MixHash(task, code), key);
}

}  // namespace prof::analysis::diff
