// Recordings in, what changed between them out.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "prof/analysis/diff/profile_diff.h"
#include "prof/analysis/profile.h"
#include "prof/analysis/report_table.h"
#include "prof/base/result.h"

namespace prof::analysis::diff {

// A module of the before side and what it is called after (--map OLD=NEW): base names or paths.
struct ModuleRename {
  std::string old_name;
  std::string new_name;
};

inline constexpr std::array kDefaultDiffKeys = {SortKey::kDso, SortKey::kSym};

struct DiffOptions {
  // comm, dso, sym, srcline, srcfile, tid, pid, cpu; threads and processes are those of one name,
  // numbered by when they began ("worker #2"), as ids say nothing across runs.
  std::vector<SortKey> keys{kDefaultDiffKeys.begin(), kDefaultDiffKeys.end()};
  SampleFilter filter;  // without times: those are each recording's own (Recording)
  std::string parent_regex;
  NameStyle names = NameStyle::kPlain;
  bool inlines = true;
  bool children = true;  // inclusive amounts, where there are stacks
  bool tree = false;
  bool callers = false;
  double alpha = 0.05;
  // Rows with fewer samples, of both sides together, are added up. Those below kFewestSamples that
  // are rows all the same have no tests.
  std::uint64_t fewest_samples = kFewestSamples;
  std::vector<ModuleRename> renames;
  std::vector<std::string> events;  // names to compare; empty: all that every run has
};

// One run. `profile` has its symbols and is read during Add only.
struct Recording {
  Side side = Side::kBefore;
  std::string name;  // of the file
  const Profile& profile;
  bool complete = true;             // the file has its end
  std::uint64_t time_begin_ns = 0;  // --time, of the recording's clock
  std::uint64_t time_end_ns = ~std::uint64_t{0};
};

// How rows are matched: by module (its base name; without the version behind ".so" where that alone
// differs and leaves one candidate; the two launched programs, where half of their functions are
// the same; by `renames`; all JIT memory is "[JIT]") and function (demangled, without clone
// suffixes as .cold and .isra.0 and without Rust's hash; where a name is on one side only: by the
// name without its parameters, if that leaves one candidate on either side). Code without a symbol
// is one row per module, source lines go by file and number. Addresses and build IDs play no part.
// Without dso among the keys modules do not tell rows apart.
class DiffBuilder {
 public:
  explicit DiffBuilder(DiffOptions options);
  ~DiffBuilder();
  DiffBuilder(DiffBuilder&&) noexcept;
  DiffBuilder& operator=(DiffBuilder&&) noexcept;

  // kBadData: no samples (of the events asked for), weights whose sum is beyond 2^62. kUsage: a bad
  // regular expression, sort keys that mean nothing here, a recording that its side has already.
  Status Add(const Recording& recording);
  // Once, after at least one run of each side (else kUsage). kBadData: no event is in all runs
  // (which there are is listed); the filter left nothing on both sides.
  Result<ProfileDiff> Build();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// What makes recordings hard to compare: incomplete files, other restrictions or frequencies, a
// debug build, very short runs, high loss, load of the machine, another machine, CPU count or
// kernel, other stacks, another exit status. One sentence each, once, the worst first; the part
// that DiffBuilder knows without what it compares.
class Comparability {
 public:
  Comparability();
  ~Comparability();
  Comparability(Comparability&&) noexcept;
  Comparability& operator=(Comparability&&) noexcept;
  void Add(const Recording& recording);
  [[nodiscard]] std::vector<std::string> Warnings() const;
  // What both sides have in common and may surprise: debug builds.
  [[nodiscard]] std::vector<std::string> Notes() const;

 private:
  struct Facts;
  std::vector<Facts> runs_;
};

}  // namespace prof::analysis::diff
