// Files in, comparison out.
#include "diff_load.h"

#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profile_input.h"

#include "prof/analysis/counts/run_set.h"
#include "prof/analysis/diff/diff_builder.h"
#include "prof/analysis/profile.h"

namespace prof::tools {
namespace {

using analysis::diff::Side;

// Whatever a file has: samples, counts of prof stat --save, or neither.
class FileSink final : public model::RecordSink {
 public:
  explicit FileSink(std::vector<model::Sample> memory) : profile_(std::move(memory)) {}
  Status Append(const model::Record& record) override {
    PROF_TRY(runs_.Append(record));
    return profile_.Append(record);
  }
  // Counts have none.
  Status AppendSamples(std::span<const model::Sample> samples) override {
    return profile_.AppendSamples(samples);
  }
  analysis::Profile BuildProfile() { return profile_.Build(); }
  [[nodiscard]] const analysis::counts::RunSet& runs() const { return runs_.runs(); }
  // Sides are of prof stat, which writes them before its first run.
  [[nodiscard]] bool IsCounts() const { return !runs_.runs().sides.empty(); }

 private:
  analysis::ProfileBuilder profile_;
  analysis::counts::RunSetBuilder runs_;
};

class Loader {
 public:
  explicit Loader(const DiffArguments& arguments)
      : arguments_(arguments), builder_(arguments.diff) {}

  Result<Comparison> Compare(const SidePair& files) {
    for (const std::string& file : files.before) PROF_TRY(Load(file, Side::kBefore));
    for (const std::string& file : files.after) PROF_TRY(Load(file, Side::kAfter));
    if (!first_counts_.empty()) {
      PROF_TRY_ASSIGN(auto report,
                      CompareCounts(std::move(before_), std::move(after_), arguments_));
      return Comparison(std::move(report));
    }
    PROF_TRY_ASSIGN(auto diff, builder_.Build());
    return Comparison(std::move(diff));
  }

 private:
  Status Load(const std::string& path, Side side) {
    FileSink sink(std::move(memory_));
    auto summary = ReplayInput(path, sink);
    if (!summary) return std::unexpected(Explain(std::move(summary).error()));
    report::FileFacts facts = FactsOf(path, *summary);
    // Nobody knows the folder of --runs.
    if (arguments_.runs) facts.name = std::filesystem::path(path).filename();
    if (sink.IsCounts()) {
      first_counts_ = facts.name;
      PROF_TRY(RefuseMixture());
      auto& counts = side == Side::kBefore ? before_ : after_;
      counts.push_back({.saved = {.name = facts.name, .runs = sink.runs()}, .facts = facts});
      return {};
    }
    first_profile_ = facts.name;
    PROF_TRY(RefuseMixture());
    return AddProfile(sink.BuildProfile(), facts, side);
  }

  Status AddProfile(analysis::Profile profile, const report::FileFacts& facts, Side side) {
    PROF_TRY(ResolveSymbols(profile, {.command = "diff",
                                      .debuginfod = arguments_.debuginfod,
                                      .inlines = arguments_.diff.inlines,
                                      .quiet = arguments_.text.quiet}));
    const auto [begin, end] = SpanOf(profile);
    const auto [from, to] = ResolveTimeRange(
        side == Side::kBefore ? arguments_.time_before : arguments_.time_after, begin, end);
    const analysis::diff::Recording recording{
        .side = side,
        .name = facts.name,
        .profile = profile,
        .complete = facts.complete && facts.corrupt_blocks == 0,
        .time_begin_ns = from,
        .time_end_ns = to};
    if (arguments_.verbose) {
      std::fprintf(stderr, "prof diff: %s: %s, %zu samples\n", facts.name.c_str(),
                   side == Side::kBefore ? "before" : "after", profile.samples().size());
    }
    PROF_TRY(builder_.Add(recording));
    memory_ = std::move(profile).ReleaseMemory();
    return {};
  }

  Status RefuseMixture() {
    if (first_counts_.empty() || first_profile_.empty()) return {};
    return Fail(ErrorKind::kUsage,
                first_counts_ + " has counts of prof stat, and " + first_profile_ +
                    " is a profile: they have nothing in common to compare",
                "prof diff takes profiles of prof record, or files of prof stat --save");
  }

  [[nodiscard]] Error Explain(Error error) const {
    if (arguments_.default_files && error.kind == ErrorKind::kNotFound) {
      error.hint =
          "prof record twice leaves prof.data.old and prof.data; prof diff BEFORE AFTER names "
          "others";
    }
    return error;
  }

  const DiffArguments& arguments_;
  analysis::diff::DiffBuilder builder_;
  std::vector<CountsFile> before_, after_;
  std::string first_counts_, first_profile_;
  std::vector<model::Sample> memory_;  // of the last profile, for the next one
};

}  // namespace

Result<Comparison> CompareFiles(const SidePair& files, const DiffArguments& arguments) {
  return Loader(arguments).Compare(files);
}

}  // namespace prof::tools
