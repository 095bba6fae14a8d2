// Lays out and prints the table of one event.
#include "report/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "report/call_graph_text.h"
#include "report/key_names.h"
#include "report/number_text.h"
#include "report/text_fit.h"

namespace prof::report {
namespace {

using analysis::EventTable;
using analysis::SortKey;
using analysis::TableRow;

constexpr int kSymbolFloor =
    30;  // a terminal's other columns shrink before Symbol gets narrower than this
constexpr int kLeastSymbol = 12;
constexpr int kLeastText = 8;

struct ColumnSpec {
  Column column = Column::kKey;
  SortKey key = SortKey::kSym;
  std::size_t key_index = 0;  // into TableRow::keys
  std::string title;
  int least = 0;
  [[nodiscard]] bool is_symbol() const { return column == Column::kKey && key == SortKey::kSym; }
};

std::vector<Field> DefaultFields(const EventTable& table, const TextOptions& options) {
  std::vector<Field> fields;
  if (table.children) fields.push_back({Column::kOverheadChildren, {}});
  fields.push_back({Column::kOverhead, {}});
  if (options.interval) fields.push_back({Column::kInterval, {}});
  if (options.show_samples) fields.push_back({Column::kSamples, {}});
  if (options.show_total_period) fields.push_back({Column::kPeriod, {}});
  return fields;
}

std::vector<ColumnSpec> Columns(const EventTable& table, const std::vector<SortKey>& sort,
                                const TextOptions& options) {
  std::vector<Field> fields =
      options.fields.empty() ? DefaultFields(table, options) : options.fields;
  for (const SortKey key : sort) {
    if (const Field field{Column::kKey, key}; std::ranges::find(fields, field) == fields.end())
      fields.push_back(field);
  }
  const bool both = std::ranges::any_of(
      fields, [](const Field& f) { return f.column == Column::kOverheadChildren; });
  std::vector<ColumnSpec> columns;
  for (const Field& field : fields) {
    switch (field.column) {
      case Column::kOverhead:
        columns.push_back({field.column, {}, 0, both ? "Self" : "Overhead", 8});
        break;
      case Column::kOverheadChildren:
        columns.push_back({field.column, {}, 0, "Children", 8});
        break;
      case Column::kSamples:
        columns.push_back({field.column, {}, 0, "Samples", 12});
        break;
      case Column::kPeriod:
        columns.push_back({field.column, {}, 0, "Period", 12});
        break;
      case Column::kInterval:
        columns.push_back({field.column, {}, 0, "95% +-", 7});
        break;
      case Column::kKey:
        if (const auto at = std::ranges::find(sort, field.key); at != sort.end()) {
          columns.push_back({field.column, field.key, static_cast<std::size_t>(at - sort.begin()),
                             KeyTitle(field.key), 0});
        }
        break;
    }
  }
  return columns;
}

Cell PercentCell(std::uint64_t weight, const EventTable& table, const TextOptions& options) {
  const double percent =
      100 * Share(static_cast<double>(weight), static_cast<double>(table.total_weight));
  const bool bare = !options.separator.empty();
  return {bare ? fmt::format("{:.2f}%", percent) : fmt::format("{:6.2f}%", percent),
          options.color ? ShareColor(percent) : nullptr};
}

Cell IntervalCell(const TableRow& row, const EventTable& table) {
  const Interval interval =
      WilsonInterval(table.children ? row.children_samples : row.self_samples, table.total_samples);
  return {fmt::format("{:.2f}%", 50 * (interval.high - interval.low))};
}

Cell MakeCell(const ColumnSpec& spec, const TableRow& row, const EventTable& table,
              const TextOptions& options) {
  switch (spec.column) {
    case Column::kOverhead:
      return PercentCell(row.self_weight, table, options);
    case Column::kOverheadChildren:
      return PercentCell(row.children_weight, table, options);
    case Column::kSamples:
      return {std::to_string(row.self_samples)};
    case Column::kPeriod:
      return {std::to_string(row.self_weight)};
    case Column::kInterval:
      return IntervalCell(row, table);
    case Column::kKey:
      break;
  }
  std::string text =
      spec.key_index < row.keys.size() ? Printable(row.keys[spec.key_index]) : std::string();
  if (spec.is_symbol()) text = fmt::format("[{}] {}", row.level, text);
  return {std::move(text)};
}

// The width Symbol needs when every name is folded, within reason.
int SymbolFloor(const EventTable& table, const std::vector<ColumnSpec>& columns) {
  const auto spec = std::ranges::find_if(columns, &ColumnSpec::is_symbol);
  if (spec == columns.end()) return kLeastSymbol;
  std::size_t folded = kLeastSymbol;
  for (const TableRow& row : table.rows) {
    if (spec->key_index < row.keys.size())
      folded = std::max(folded, FoldedWidth(row.keys[spec->key_index]) + 4);
  }
  return static_cast<int>(std::min<std::size_t>(folded, kSymbolFloor));
}

// Cuts a cell to its column; the "[.] " of a symbol stays.
std::string FitCell(const ColumnSpec& spec, std::string text, int width) {
  const auto room = static_cast<std::size_t>(std::abs(width));
  if (DisplayWidth(text) <= room) return text;
  return spec.is_symbol() ? text.substr(0, 4) + FitName(text.substr(4), room - 4)
                          : FitName(text, room);
}

std::vector<std::vector<Cell>> MakeCells(const EventTable& table,
                                         const std::vector<ColumnSpec>& columns,
                                         const TextOptions& options) {
  std::vector<std::vector<Cell>> cells;
  cells.reserve(table.rows.size());
  for (const TableRow& row : table.rows) {
    std::vector<Cell>& line = cells.emplace_back();
    line.reserve(columns.size());
    for (const ColumnSpec& spec : columns) line.push_back(MakeCell(spec, row, table, options));
  }
  return cells;
}

std::vector<int> Widths(const std::vector<ColumnSpec>& columns,
                        const std::vector<std::vector<Cell>>& cells) {
  std::vector<int> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width =
        std::max(DisplayWidth(columns[i].title), static_cast<std::size_t>(columns[i].least));
    for (const auto& line : cells) width = std::max(width, DisplayWidth(line[i].text));
    widths.push_back(columns[i].column == Column::kKey ? -static_cast<int>(width)
                                                       : static_cast<int>(width));
  }
  return widths;
}

CallGraphText GraphOptions(const EventTable& table, const std::vector<SortKey>& sort,
                           const TextOptions& options) {
  CallGraphText how;
  how.options = options.call_graph;
  how.total_weight = table.total_weight;
  how.skip_first = options.fields.empty() && !sort.empty() && sort.front() == SortKey::kSym;
  how.width = options.width;
  how.color = options.color;
  if (!options.separator.empty()) how.folded_separator = options.separator;
  return how;
}

int TotalWidth(const std::vector<int>& widths) {
  int total = 2;
  for (const int width : widths) total += std::abs(width) + 2;
  return total - 2;
}

// Takes up to `excess` columns from the text columns that `may_shrink`, the widest first, down to
// `floor`.
template <class Predicate>
int Shrink(std::vector<int>& widths, int excess, int floor, Predicate may_shrink) {
  while (excess > 0) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] < -floor && may_shrink(i) &&
          (widest == widths.size() || widths[i] < widths[widest]))
        widest = i;
    }
    if (widest == widths.size()) break;
    ++widths[widest];  // towards 0: left-aligned widths are negative
    --excess;
  }
  return excess;
}

}  // namespace

void ShrinkColumns(std::vector<int>& widths, const std::vector<bool>& symbols, int symbol_floor,
                   int width) {
  const auto symbol = [&](std::size_t i) { return symbols[i]; };
  const auto other = [&](std::size_t i) { return !symbols[i]; };
  int excess = TotalWidth(widths) - width;
  excess = Shrink(widths, excess, symbol_floor, symbol);
  excess = Shrink(widths, excess, kLeastText, other);
  Shrink(widths, excess, kLeastSymbol, symbol);
}

std::string JoinCells(const std::vector<Cell>& cells, const std::vector<int>& widths,
                      const std::string& separator) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string text = cells[i].text;
    if (!separator.empty()) {
      // As in perf: a field never contains the separator.
      for (std::size_t at = 0; (at = text.find(separator, at)) != std::string::npos; ++at)
        text.replace(at, separator.size(), ".");
      line += (i > 0 ? separator : "") + text;
      continue;
    }
    const auto width = static_cast<std::size_t>(std::abs(widths[i]));
    const std::size_t pad = width - std::min(width, DisplayWidth(text));
    line += "  ";
    if (widths[i] > 0) text.insert(0, pad, ' ');
    line += cells[i].color == nullptr ? text : cells[i].color + text + kColorEnd;
    if (widths[i] < 0) line.append(pad, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string RenderHeadings(const std::vector<std::string>& titles, const std::vector<int>& widths,
                           const std::string& separator) {
  std::vector<Cell> heads;
  std::vector<Cell> dots;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const auto width = static_cast<std::size_t>(std::abs(widths[i]));
    heads.push_back(
        {separator.empty() && titles[i].size() > width ? titles[i].substr(0, width) : titles[i]});
    dots.push_back({std::string(width, '.')});
  }
  std::string text = JoinCells(heads, widths, separator);
  if (!separator.empty()) return "# " + text;
  text += JoinCells(dots, widths, separator);
  text[0] = '#';
  text[text.find('\n') + 1] = '#';
  return text + "#\n";
}

std::string RenderTable(const EventTable& table, const std::vector<SortKey>& sort,
                        const TextOptions& options) {
  const std::vector<ColumnSpec> columns = Columns(table, sort, options);
  if (columns.empty()) return {};
  std::vector<std::vector<Cell>> cells = MakeCells(table, columns, options);
  std::vector<int> widths = Widths(columns, cells);
  const bool fit = options.width > 0 && options.separator.empty();
  if (fit) {
    std::vector<bool> symbols;
    for (const ColumnSpec& spec : columns) symbols.push_back(spec.is_symbol());
    ShrinkColumns(widths, symbols, SymbolFloor(table, columns), options.width);
  } else {
    for (int& width : widths) width = std::max(width, -kWidestColumn);
  }

  std::string text;
  if (!options.quiet) {
    std::vector<std::string> titles;
    for (const ColumnSpec& spec : columns) titles.push_back(spec.title);
    text += RenderHeadings(titles, widths, options.separator);
  }
  const CallGraphText how = GraphOptions(table, sort, options);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t c = 0; fit && c < columns.size(); ++c) {
      cells[i][c].text = FitCell(columns[c], std::move(cells[i][c].text), widths[c]);
    }
    text += JoinCells(cells[i], widths, options.separator);
    const TableRow& row = table.rows[i];
    text += RenderCallGraph(row, table.children ? row.children_weight : row.self_weight, how);
  }
  return text;
}

}  // namespace prof::report
