// The lines of the annotated function and what they have.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "analysis/annotate/annotated_functions.h"
#include "analysis/annotate/scoped_samples.h"
#include "analysis/annotate/source_table.h"
#include "analysis/function_text.h"

namespace prof::analysis {

// Samples with one innermost frame that has the annotated function in its chain.
struct SelfHit {
  std::uint32_t frame = 0;
  NodeIndex node = 0;     // one with that frame
  std::size_t level = 0;  // of the annotated function in the frame's chain
};

class LineTable {
 public:
  // Borrows all.
  LineTable(const Profile& profile, const ScopedSamples& samples,
            const AnnotatedFunctions& functions, SourceTable& sources, FunctionNames& names)
      : profile_(profile),
        samples_(samples),
        functions_(functions),
        sources_(sources),
        names_(names) {}

  // From all frames of the profile.
  void Build();
  [[nodiscard]] const std::vector<SelfHit>& hits() const { return hits_; }
  // The way from the innermost place of a frame out to a level of its chain.
  [[nodiscard]] Position PositionOf(std::span<const CodeLocation> chain, std::size_t level);
  // Sorted, `first_file` first.
  [[nodiscard]] std::vector<AnnotatedLine> Take(std::uint32_t first_file);

 private:
  std::uint32_t LineOf(const CodeLocation& location);
  void AddFrame(std::uint32_t frame, NodeIndex node);
  void AddSelf(std::uint32_t frame, std::span<const CodeLocation> chain, std::size_t level);

  const Profile& profile_;
  const ScopedSamples& samples_;
  const AnnotatedFunctions& functions_;
  SourceTable& sources_;
  FunctionNames& names_;
  std::vector<SelfHit> hits_;
  std::vector<AnnotatedLine> lines_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> by_place_;
  std::vector<std::uint32_t> on_frame_;
};

}  // namespace prof::analysis
