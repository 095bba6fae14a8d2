// The number columns of an annotated function: one per event, in percent or counts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/table_text.h"

#include "prof/analysis/annotate.h"
#include "prof/report/annotate_text.h"

namespace prof::report {

class ShareColumns {
 public:
  // `whole`: what 100 % is, per event.
  ShareColumns(const std::vector<analysis::AnnotatedEvent>& events, analysis::Amounts whole,
               const AnnotateTextOptions& options);

  // As --percent-type says: of `local`, or of all samples in scope.
  static ShareColumns Of(const analysis::AnnotatedFunction& function,
                         const analysis::Amounts& local, const AnnotateTextOptions& options);

  [[nodiscard]] std::size_t count() const { return events_.size(); }
  // Of one event, in the unit of --percent-type.
  [[nodiscard]] double Value(const analysis::Amounts& amounts, std::size_t event) const;
  [[nodiscard]] double Percent(const analysis::Amounts& amounts, std::size_t event) const;
  // Without samples, or below the limit: blank.
  [[nodiscard]] Cell At(const analysis::Amounts& amounts, std::size_t event) const;
  [[nodiscard]] std::vector<Cell> All(const analysis::Amounts& amounts) const;

  // What one event's column is headed: `single` for the only one, else the event's name.
  [[nodiscard]] std::string Title(std::size_t event, const std::string& single) const;
  // "Percent", "Samples" or "Period".
  [[nodiscard]] std::string UnitTitle() const;
  [[nodiscard]] std::vector<std::string> Titles() const;
  [[nodiscard]] int NumberWidth(std::size_t event) const;  // of the cells
  [[nodiscard]] int Width(std::size_t event) const;        // of the cells and the title
  [[nodiscard]] std::vector<int> Widths() const;

 private:
  const std::vector<analysis::AnnotatedEvent>& events_;
  analysis::Amounts whole_;
  const AnnotateTextOptions& options_;
};

// An event's amount; nothing where the vector is too short.
analysis::Amount AmountAt(const analysis::Amounts& amounts, std::size_t event);
// Adds per event; `sum` has as many as there are events.
void AddAmounts(analysis::Amounts& sum, const analysis::Amounts& amounts);
// Whether any event has samples.
bool HasSamples(const analysis::Amounts& amounts);

// Cells in front of a bar: right-aligned, two blanks before each, nothing cut at the end.
std::string PaddedCells(const std::vector<Cell>& cells, const std::vector<int>& widths);
// Their titles, as a comment.
std::string PaddedTitles(const std::vector<std::string>& titles, const std::vector<int>& widths);

// "61.2 %", "0.04 %".
std::string PercentText(double percent);

}  // namespace prof::report
