// Reconciles what the kernel and the readers counted.
#include "collect/loss_records.h"

#include <algorithm>

namespace prof::collect {

void AppendLosses(const EventSet& events, const PairCounts& counts, const SideBandCounts& side_band,
                  StreamWriter& writer, RecordSummary& summary) {
  const auto add = [&writer](model::LossCause cause, std::uint64_t count, bool at_least,
                             std::uint32_t cpu = model::kUnknownCpu) {
    if (count != 0)
      writer.Append(model::Loss{.cause = cause, .cpu = cpu, .count = count, .at_least = at_least});
  };
  std::uint64_t exact = 0;
  for (const CpuRings& rings : events.rings()) {
    const std::uint64_t lost = events.exact_losses() ? events.LostSamples(rings.cpu) : 0;
    add(model::LossCause::kKernelRing, lost, false, static_cast<std::uint32_t>(rings.cpu));
    exact += lost;
  }
  const std::uint64_t by_kernel = std::max(exact, counts.lost_records);
  add(model::LossCause::kKernelRing, by_kernel - exact, true);
  add(model::LossCause::kThrottled, counts.throttled, false);
  add(model::LossCause::kSideBandRing, side_band.lost, true);
  add(model::LossCause::kBadRecord, counts.bad_records + side_band.bad_records, false);
  add(model::LossCause::kUnattributed, side_band.unattributed, false);
  add(model::LossCause::kQueueFull, counts.dropped, false);
  add(model::LossCause::kStackShed, counts.shed, false);
  add(model::LossCause::kStackCut, counts.cut, false);
  summary.lost = by_kernel + counts.dropped;
  summary.lost_at_least = !events.exact_losses() && by_kernel != 0;
  summary.cut = counts.cut;
  summary.shed = counts.shed;
  summary.dropped = counts.dropped;
}

}  // namespace prof::collect
