// Finds the numbers of --metric in what a command prints.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prof/collect/count_session.h"

namespace prof::collect {

// Splits one stream into lines. A line ends at \n or \r (progress bars overwrite themselves with
// it) and is cut after 64 KB.
class LineSplitter {
 public:
  using Consumer = std::function<void(std::string_view line)>;
  explicit LineSplitter(Consumer consumer) : consumer_(std::move(consumer)) {}
  void Feed(std::string_view bytes);
  void Finish();  // hands out a last line without an end

 private:
  void Keep(std::string_view part);

  Consumer consumer_;
  std::string line_;  // begun, and not ended yet
};

// The last match of each pattern over all lines.
class NumberSearch {
 public:
  // `metrics` must outlive it.
  explicit NumberSearch(const std::vector<MetricSource>& metrics)
      : metrics_(metrics), values_(metrics.size()) {}
  void Look(std::string_view line);
  // The number of the first metric that no line had.
  [[nodiscard]] std::optional<std::uint32_t> FirstMissing() const;
  // In the order of the metrics; those without a match are left out.
  [[nodiscard]] std::vector<double> Values() const;

 private:
  const std::vector<MetricSource>& metrics_;
  std::vector<std::optional<double>> values_;
};

// A text that is a finite number and nothing else, blanks around it aside.
std::optional<double> ParseFiniteNumber(std::string_view text);

}  // namespace prof::collect
