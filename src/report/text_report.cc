// Puts the text report together: honesty block, one section per event, thread totals.
#include "prof/report/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "report/call_graph_text.h"
#include "report/head_text.h"
#include "report/number_text.h"
#include "report/table_text.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

std::uint64_t LostSamples(const analysis::Honesty& honesty) {
  std::uint64_t lost = 0;
  for (const analysis::LossTotal& loss : honesty.losses) {
    if (loss.cause == model::LossCause::kKernelRing || loss.cause == model::LossCause::kQueueFull)
      lost += loss.count;
  }
  return lost;
}

std::string RenderHead(const ReportData& data, const TextOptions& options) {
  std::string text;
  if (options.honesty) {
    for (const std::string& line : HonestyLines(data))
      text += Comment(Printable(line), options.width);
    text += "#\n";
  }
  for (const std::string& filter : data.filters) text += Comment(Printable(filter), options.width);
  if (!data.filters.empty()) text += "#\n";
  text += fmt::format("# Total Lost Samples: {}\n#\n", LostSamples(data.honesty));
  return text;
}

std::string EventName(const ReportData& data, model::EventId event) {
  return event < data.events.size() ? data.events[event].name : fmt::format("event {}", event);
}

std::string RenderSection(const ReportData& data, const analysis::EventTable& table,
                          const TextOptions& options) {
  std::string text;
  if (!options.quiet) {
    text += fmt::format("# Samples: {} of event '{}'\n# Event count (approx.): {}\n#\n",
                        ShortCount(table.total_samples), Printable(EventName(data, table.event)),
                        table.total_weight);
  }
  text += RenderTable(table, data.sort, options);
  if (options.quiet) return text + '\n';
  if (table.rows.empty() && table.filtered_samples > 0) {
    text += Comment(fmt::format("none of the {} samples is in this view", table.filtered_samples),
                    options.width);
  }
  if (table.hidden_rows > 0) {
    text +=
        Comment(fmt::format("{} rows are below --percent-limit", table.hidden_rows), options.width);
  }
  return text + '\n';
}

// -T: what each thread was sampled with, per event.
std::string RenderThreads(const ReportData& data, const TextOptions& options) {
  std::vector<std::string> titles = {"PID", "TID", "Command"};
  for (const model::EventDesc& event : data.events) {
    titles.push_back(Printable(event.name));
    titles.emplace_back("Samples");
  }
  std::vector<std::vector<Cell>> lines;
  for (const ThreadTotal& thread : data.threads) {
    std::vector<Cell>& line = lines.emplace_back();
    line = {{std::to_string(thread.pid)}, {std::to_string(thread.tid)}, {Printable(thread.comm)}};
    for (std::size_t event = 0; event < data.events.size(); ++event) {
      line.push_back({std::to_string(event < thread.weights.size() ? thread.weights[event] : 0)});
      line.push_back({std::to_string(event < thread.samples.size() ? thread.samples[event] : 0)});
    }
  }
  std::vector<int> widths;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    std::size_t width = DisplayWidth(titles[i]);
    for (const auto& line : lines) width = std::max(width, DisplayWidth(line[i].text));
    widths.push_back(i == 2 ? -static_cast<int>(width) : static_cast<int>(width));
  }
  std::string text =
      options.quiet ? std::string() : RenderHeadings(titles, widths, options.separator);
  for (const auto& line : lines) text += JoinCells(line, widths, options.separator);
  return text;
}

}  // namespace

std::string RenderText(const ReportData& data, const TextOptions& options) {
  TextOptions fitted = options;
  if (fitted.width > 0) fitted.width = std::max(fitted.width, kMinWidth);
  std::string text = fitted.quiet ? std::string() : RenderHead(data, fitted);
  for (std::size_t i = 0; i < data.tables.size(); ++i) {
    if (i > 0 && !fitted.quiet) text += '\n';
    text += RenderSection(data, data.tables[i], fitted);
  }
  if (fitted.show_threads) text += '\n' + RenderThreads(data, fitted);
  return text;
}

}  // namespace prof::report
