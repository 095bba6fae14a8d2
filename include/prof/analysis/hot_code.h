// Which functions and source lines of a recording go into its file, so that `prof annotate` needs
// nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prof/analysis/hit_counts.h"
#include "prof/model/code.h"
#include "prof/model/record.h"
#include "prof/symbols/symbolizer.h"

namespace prof::analysis {

struct HotCodeLimits {
  std::uint64_t functions = 2000;  // the first so many are kept whatever their share
  double self_share = 0.001;       // of all samples: kept also after those
  // Functions that only call others: kept from this share of stacks on.
  double stack_share = 0.01;
};

// Steps: Choose() for each module, the hottest modules first; then summary().
class HotFunctions {
 public:
  // `samples`: of the whole recording.
  explicit HotFunctions(std::uint64_t samples, HotCodeLimits limits = {})
      : samples_(samples), limits_(limits) {}

  // The functions of one module whose code is worth keeping, ascending by start. `hits` ascending
  // by address, as the symbols are.
  std::vector<symbols::FunctionRange> Choose(const model::ModuleSymbols& symbols,
                                             std::span<const AddressHits> hits);
  // Notes what became of them.
  void Count(const model::ModuleCode& code);
  // Functions only; sources are EmbedSources()'.
  [[nodiscard]] model::CodeSummary summary() const;

 private:
  std::uint64_t samples_;
  HotCodeLimits limits_;
  std::uint64_t chosen_ = 0;
  std::uint64_t with_code_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t left_out_samples_ = 0;
};

// Samples by source line: of the line that ran, and of the lines that called it.
class HotLines {
 public:
  struct Hits {
    std::uint64_t self = 0;    // the innermost machine code came from here, inlined or not
    std::uint64_t stacks = 0;  // anywhere on the stack
  };

  // `modified_s`: when the module's file was last changed (CLOCK_REALTIME); nothing: not known.
  void Add(const model::ModuleSymbols& symbols, std::span<const AddressHits> hits,
           std::optional<std::int64_t> modified_s);
  // The lines that a function reaches over, so that hot functions can be shown whole.
  void AddFunction(const model::FunctionCode& code, std::uint64_t self);

 private:
  struct File {
    std::map<std::uint32_t, Hits> lines;
    std::optional<std::int64_t> program_modified_s;
  };
  struct Extent {
    std::string path;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint64_t self = 0;
  };
  friend class SourceEmbedder;

  std::map<std::string, File> files_;
  std::vector<Extent> extents_;
};

// A whole source file as the embedder needs it.
struct ReadText {
  model::SourceState state = model::SourceState::kMissing;
  std::vector<std::string> lines;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;
  std::int64_t modified_s = 0;
};
using SourceReader = std::function<ReadText(const std::string& path)>;

struct SourceLimits {
  bool text = true;                     // false: --no-embed-source, checksums only
  std::uint64_t text_bytes = 64 << 10;  // of all text together
  std::uint64_t line_bytes = 400;       // longer lines are cut
  std::uint32_t context = 5;            // lines before and after each hot one
  std::uint64_t files = 5000;           // looked at, hottest first
};

// Reads every source file with samples once, hottest first. Text: first the neighbourhood of the
// lines that ran, by samples, then the whole of the hottest functions, then the lines that called,
// until the limit is reached. `summary` gets the figures of the sources.
std::vector<model::SourceFile> EmbedSources(const HotLines& lines, const SourceReader& read,
                                            const SourceLimits& limits,
                                            model::CodeSummary& summary);

}  // namespace prof::analysis
