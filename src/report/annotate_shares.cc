// Formats amounts of events as cells.
#include "report/annotate_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/call_graph_text.h"
#include "report/number_text.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

constexpr std::size_t kPercentColumns = 7;  // "100.00%"
// Longer event names are cut.
constexpr std::size_t kTitleColumns = 12;
constexpr std::size_t kNarrowTitleColumns = 9;
constexpr int kNarrow = 100;  // terminals with less columns than this, for three events or more

}  // namespace

ShareColumns::ShareColumns(const std::vector<analysis::AnnotatedEvent>& events,
                           analysis::Amounts whole, const AnnotateTextOptions& options)
    : events_(events), whole_(std::move(whole)), options_(options) {
  whole_.resize(events_.size());
}

ShareColumns ShareColumns::Of(const analysis::AnnotatedFunction& function,
                              const analysis::Amounts& local, const AnnotateTextOptions& options) {
  analysis::Amounts whole = local;
  if (options.base == PercentBase::kGlobal) {
    whole.clear();
    for (const analysis::AnnotatedEvent& event : function.events) whole.push_back(event.total);
  }
  return {function.events, std::move(whole), options};
}

double ShareColumns::Value(const analysis::Amounts& amounts, std::size_t event) const {
  const analysis::Amount amount = AmountAt(amounts, event);
  return static_cast<double>(options_.unit == PercentUnit::kHits ? amount.samples : amount.weight);
}

double ShareColumns::Percent(const analysis::Amounts& amounts, std::size_t event) const {
  return 100 * Share(Value(amounts, event), Value(whole_, event));
}

Cell ShareColumns::At(const analysis::Amounts& amounts, std::size_t event) const {
  const analysis::Amount amount = AmountAt(amounts, event);
  const double percent = Percent(amounts, event);
  if (amount == analysis::Amount{} || percent < options_.percent_limit) return {};
  const char* color = options_.color ? ShareColor(percent) : nullptr;
  if (options_.show_total_period) return {std::to_string(amount.weight), color};
  if (options_.show_samples) return {std::to_string(amount.samples), color};
  return {fmt::format("{:.2f}%", percent), color};
}

std::vector<Cell> ShareColumns::All(const analysis::Amounts& amounts) const {
  std::vector<Cell> cells;
  for (std::size_t event = 0; event < count(); ++event) cells.push_back(At(amounts, event));
  return cells;
}

std::string ShareColumns::UnitTitle() const {
  if (options_.show_total_period) return "Period";
  return options_.show_samples ? "Samples" : "Percent";
}

std::string ShareColumns::Title(std::size_t event, const std::string& single) const {
  if (count() == 1) return single;
  const bool narrow = options_.width > 0 && options_.width < kNarrow && count() > 2;
  return FitName(Printable(events_[event].desc.name), narrow ? kNarrowTitleColumns : kTitleColumns);
}

std::vector<std::string> ShareColumns::Titles() const {
  std::vector<std::string> titles;
  for (std::size_t event = 0; event < count(); ++event) titles.push_back(Title(event, UnitTitle()));
  return titles;
}

int ShareColumns::NumberWidth(std::size_t event) const {
  std::size_t width = kPercentColumns;
  if (options_.show_samples || options_.show_total_period) {
    const analysis::Amount whole = AmountAt(whole_, event);
    const std::uint64_t largest = options_.show_total_period ? whole.weight : whole.samples;
    width = std::max(width, std::to_string(largest).size());
  }
  return static_cast<int>(width);
}

int ShareColumns::Width(std::size_t event) const {
  return std::max(NumberWidth(event), static_cast<int>(DisplayWidth(Title(event, UnitTitle()))));
}

std::vector<int> ShareColumns::Widths() const {
  std::vector<int> widths;
  for (std::size_t event = 0; event < count(); ++event) widths.push_back(Width(event));
  return widths;
}

analysis::Amount AmountAt(const analysis::Amounts& amounts, std::size_t event) {
  return event < amounts.size() ? amounts[event] : analysis::Amount{};
}

void AddAmounts(analysis::Amounts& sum, const analysis::Amounts& amounts) {
  for (std::size_t event = 0; event < sum.size(); ++event) {
    sum[event].weight += AmountAt(amounts, event).weight;
    sum[event].samples += AmountAt(amounts, event).samples;
  }
}

bool HasSamples(const analysis::Amounts& amounts) {
  return std::ranges::any_of(
      amounts, [](const analysis::Amount& amount) { return amount != analysis::Amount{}; });
}

std::string PaddedCells(const std::vector<Cell>& cells, const std::vector<int>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size() && i < widths.size(); ++i) {
    const std::string text = PadLeft(cells[i].text, static_cast<std::size_t>(widths[i]));
    line += "  ";
    line += cells[i].color == nullptr ? text : cells[i].color + text + kColorEnd;
  }
  return line;
}

std::string PaddedTitles(const std::vector<std::string>& titles, const std::vector<int>& widths) {
  std::vector<Cell> cells;
  for (const std::string& title : titles) cells.push_back({title});
  std::string line = PaddedCells(cells, widths);
  if (line.empty()) return "#";
  line[0] = '#';
  return line;
}

std::string PercentText(double percent) {
  return percent > 0 && percent < 0.1 ? fmt::format("{:.2f} %", percent)
                                      : fmt::format("{:.1f} %", percent);
}

}  // namespace prof::report
