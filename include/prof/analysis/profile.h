// A whole recording in memory, its epochs merged: what every view is computed from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prof/model/record.h"
#include "prof/model/record_sink.h"

namespace prof::symbols {
class Symbolizer;
}

namespace prof::analysis {

// Ids of the merged profile: dense from 0, equal things of different epochs are one.
using ModuleIndex = std::uint32_t;
using ThreadIndex = std::uint32_t;
using NodeIndex = std::uint32_t;  // stack nodes; the roots keep ids 0..kStackRootCount-1
using NameIndex = std::uint32_t;  // interned strings: comms, functions, files
using FunctionIndex = std::uint32_t;
inline constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};

// The identity of a function in a view: module and linkage name (never the display string).
// Functions without a name are one per address ("0x1234 in libfoo.so").
struct Function {
  ModuleIndex module = kNoIndex;
  NameIndex name = kNoIndex;  // linkage name; kNoIndex: unknown
  model::FileAddr address;  // of unnamed ones: the lookup address; else start of the function or 0
};

// One level of an address's inline chain.
struct CodeLocation {
  FunctionIndex function = kNoIndex;
  NameIndex file = kNoIndex;
  std::uint32_t line = 0;
  bool inlined = false;
};

// The machine function around an address.
struct FunctionExtent {
  model::FileAddr start;
  std::uint64_t size = 0;
};

// What a node adds to its parent, stored once: millions of nodes share some thousands of frames.
struct StackFrame {
  ModuleIndex module = kNoIndex;
  model::FileAddr address;  // as recorded
  model::FrameKind kind = model::FrameKind::kInstruction;
  std::uint32_t address_index =
      kNoIndex;  // into the distinct lookup addresses; see Profile::Locations
};

struct StackNode {
  NodeIndex parent = 0;     // smaller than the node's own index, but for the roots
  std::uint32_t frame = 0;  // into Profile::frames(); 0 for roots
};

struct ThreadInfo {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint64_t start_ns = model::kUnknownTime;
  // (from time, name), ascending; never empty.
  std::vector<std::pair<std::uint64_t, NameIndex>> names;
};

// When samples were taken; of those whose time is known.
struct SampleTimes {
  std::uint64_t first_ns = model::kUnknownTime;
  std::uint64_t last_ns = 0;
  std::uint64_t known = 0;  // samples
};

struct ModuleState {
  model::Module module;
  model::SymbolStatus status = model::SymbolStatus::kNoSymbols;
  bool resolved = false;  // symbols came with the file or from Symbolize()
  std::string detail;
};

// Immutable once built (Symbolize() apart). Samples are kept as columns in file order, about 36
// bytes each.
class Profile {
 public:
  Profile();
  ~Profile();
  Profile(Profile&&) noexcept;
  Profile& operator=(Profile&&) noexcept;

  [[nodiscard]] const model::RecordingInfo& info() const;
  [[nodiscard]] bool has_end() const;                    // false: the recorder did not finish
  [[nodiscard]] const model::RecordingEnd& end() const;  // zeros without has_end()
  [[nodiscard]] std::span<const model::EventDesc> events() const;
  [[nodiscard]] std::span<const ModuleState> modules() const;
  [[nodiscard]] std::span<const ThreadInfo> threads() const;
  [[nodiscard]] std::span<const model::Sample> samples() const;  // thread and stack are merged ids
  [[nodiscard]] const SampleTimes& sample_times() const;
  [[nodiscard]] std::span<const StackNode> nodes()
      const;  // index: NodeIndex; the first kStackRootCount are roots
  [[nodiscard]] std::span<const StackFrame> frames() const;
  [[nodiscard]] const StackFrame& FrameOf(NodeIndex node) const {
    return frames()[nodes()[node].frame];
  }
  [[nodiscard]] std::span<const model::Loss> losses() const;
  [[nodiscard]] std::span<const model::CpuUsage> cpu_usage() const;
  [[nodiscard]] std::span<const Function> functions() const;
  // Code and sources of hot functions, as the file has them; modules once each.
  [[nodiscard]] std::span<const model::ModuleCode> code() const;
  [[nodiscard]] std::span<const model::SourceFile> sources() const;
  // Nothing: recorded with --no-symbols, by a prof without annotate, or the file was cut.
  [[nodiscard]] const std::optional<model::CodeSummary>& code_summary() const;
  // The machine function a node's code is in, as ModuleSymbols states it: where it starts and its
  // bytes; size 0 where it is not known.
  [[nodiscard]] FunctionExtent ExtentOf(NodeIndex node) const;
  // Whether the compiler noted that it did not optimize a node's code (-O0).
  [[nodiscard]] bool IsUnoptimized(NodeIndex node) const;
  [[nodiscard]] std::string_view Name(NameIndex name) const;
  // How the stack of a leaf node ended.
  [[nodiscard]] model::StackEnd EndOf(NodeIndex leaf) const;
  // Samples whose stacks the recorder completed from earlier ones. Their frames are like any others
  // here: kJoined has become kReturn.
  [[nodiscard]] std::uint64_t JoinedSamples(model::EventId event) const;
  // The thread's name at a time.
  [[nodiscard]] NameIndex CommOf(ThreadIndex thread, std::uint64_t time_ns) const;
  // The inline chain of a node, innermost first, never empty (an unnamed function when nothing is
  // known).
  [[nodiscard]] std::span<const CodeLocation> Locations(NodeIndex node) const;
  // Ends the profile: what the next one can be built in. New memory costs a third of reading a
  // file.
  [[nodiscard]] std::vector<model::Sample> ReleaseMemory() &&;
  // Whether a module's addresses still lack symbols (recorded with --no-symbols, or a cut file).
  [[nodiscard]] bool NeedsSymbols() const;
  // Resolves what NeedsSymbols() names; when the symbolizer asks servers, also the modules above 1
  // % of the samples that have no source lines.
  void Symbolize(symbols::Symbolizer& symbolizer);

 private:
  [[nodiscard]] std::vector<bool> LargeModules() const;

  friend class ProfileBuilder;
  struct Data;
  std::unique_ptr<Data> data_;
};

// The RecordSink that builds a Profile. Records may break off anywhere; ids out of range are
// counted as Loss{kBadRecord} and skipped.
class ProfileBuilder final : public model::RecordSink {
 public:
  ProfileBuilder() : ProfileBuilder(std::vector<model::Sample>()) {}
  // `memory`: of a profile that is done with (Profile::ReleaseMemory); its samples are dropped.
  explicit ProfileBuilder(std::vector<model::Sample> memory);
  ~ProfileBuilder() override;
  Status Append(const model::Record& record) override;
  Status AppendSamples(std::span<const model::Sample> samples) override;
  Profile Build();  // once

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// How function names are shown (--names).
enum class NameStyle : std::uint8_t {
  kPlain,  // as perf: without parameter lists and return types
  kFull,   // the whole demangled name
  kShort,  // template arguments folded too
};

// The display name of a function: demangled, folded on demand; "0x1234" for unnamed ones. Cached by
// the caller.
std::string DisplayName(const Profile& profile, FunctionIndex function, NameStyle style);

}  // namespace prof::analysis
