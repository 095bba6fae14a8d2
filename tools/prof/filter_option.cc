// Binds and reads filters.
#include "filter_option.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

namespace prof::tools {
namespace {

template <class T>
bool ParseWhole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Status ParseIds(std::string_view option, const std::string& text, std::vector<std::uint32_t>& ids) {
  for (const std::string& word : SplitList(text)) {
    std::uint32_t id = 0;
    if (!ParseWhole(word, id)) {
      return Fail(ErrorKind::kUsage, std::string(option) + ": '" + word + "' is not a number",
                  std::string(option) + " 1234,1235");
    }
    ids.push_back(id);
  }
  return {};
}

}  // namespace

void BindFilters(CLI::App& app, const std::string& comm_flags, const std::string& cpu_flags,
                 FilterTexts& texts) {
  app.add_option(comm_flags, texts.comms, "only these commands")->type_name("NAMES");
  app.add_option("-d,--dsos", texts.dsos, "only these shared objects")->type_name("NAMES");
  app.add_option("--pid", texts.pids, "only these processes")->type_name("PIDS");
  app.add_option("--tid", texts.tids, "only these threads")->type_name("TIDS");
  app.add_option(cpu_flags, texts.cpus, "only these CPUs")->type_name("LIST");
  app.add_option("--time", texts.time, "A,B (seconds from its beginning) or 10%-20%")
      ->type_name("RANGE");
}

Status ApplyFilters(const FilterTexts& texts, analysis::SampleFilter& filter, TimeRange& time,
                    std::vector<std::string>& shown) {
  filter.comms = SplitList(texts.comms);
  filter.dsos = SplitList(texts.dsos);
  PROF_TRY(ParseIds("--pid", texts.pids, filter.pids));
  PROF_TRY(ParseIds("--tid", texts.tids, filter.tids));
  if (!texts.cpus.empty()) {
    PROF_TRY_ASSIGN(filter.cpus, ParseCpuList(texts.cpus));
  }
  if (!texts.time.empty()) {
    PROF_TRY_ASSIGN(time, ParseTimeRange(texts.time));
  }
  const std::pair<const char*, const std::string*> named[] = {
      {"comm", &texts.comms}, {"dso", &texts.dsos}, {"pid", &texts.pids},
      {"tid", &texts.tids},   {"cpu", &texts.cpus}, {"time", &texts.time}};
  for (const auto& [name, value] : named) {
    if (!value->empty()) shown.push_back(std::string(name) + ": " + *value);
  }
  return {};
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

Result<std::vector<int>> ParseCpuList(std::string_view text) {
  constexpr int kMostCpus = 1 << 16;
  std::vector<int> cpus;
  for (const std::string& word : SplitList(text)) {
    const std::size_t dash = std::min(word.find('-'), word.size());
    int first = 0;
    if (!ParseWhole(std::string_view(word).substr(0, dash), first)) first = -1;
    int last = first;
    if (dash < word.size() && !ParseWhole(std::string_view(word).substr(dash + 1), last)) last = -1;
    if (first < 0 || last < first || last >= kMostCpus) {
      return Fail(ErrorKind::kUsage, "--cpu: '" + word + "' is not a CPU or a range of CPUs",
                  "--cpu 0-3,7");
    }
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace prof::tools
