// What of a recording is hot, counted while it is written: so that symbols, code and sources of the
// hottest come first at its end, and nothing has to be read back.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "prof/model/record_sink.h"

namespace prof::analysis {

// Samples of all events at one lookup address of a module.
struct AddressHits {
  model::FileAddr address;
  std::uint64_t self = 0;    // it was the innermost frame
  std::uint64_t stacks = 0;  // it was anywhere on the stack; a recursive one counts once per frame
};

// Passes records on. Append() is the stream's thread's; everything else comes after the stream.
// Costs an addition per sample and 24 bytes per stack node of the current epoch.
class HitCounts final : public model::RecordSink {
 public:
  explicit HitCounts(model::RecordSink& next) : next_(next) {}

  Status Append(const model::Record& record) override;
  Status Flush() override { return next_.Flush(); }

  // Ends the counting of the current epoch; call it before what follows.
  void Finish();
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  // Of all samples, whose innermost frame is in the module: 0 to 1.
  [[nodiscard]] double ModuleShare(const model::Module& module) const;
  // Ascending by address.
  [[nodiscard]] std::span<const AddressHits> Of(const model::Module& module) const;

 private:
  struct Node {
    model::StackId parent = 0;
    std::uint32_t module = 0;  // index into hits_
    model::FileAddr address;   // lookup address
    std::uint64_t samples = 0;
  };

  void FoldEpoch();

  model::RecordSink& next_;
  std::uint64_t samples_ = 0;
  std::map<model::Module, std::uint32_t> index_;  // into hits_ and shares_
  std::vector<std::vector<AddressHits>> hits_;    // by module; sorted and unique after folding
  std::vector<std::uint64_t> self_;               // by module
  std::vector<std::uint32_t> epoch_modules_;      // by ModuleId: index into hits_
  std::vector<Node> nodes_;                       // of this epoch, from kStackRootCount on
};

}  // namespace prof::analysis
