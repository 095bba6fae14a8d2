// prof list: the events of this machine and whether this user can use them.
#include <string>
#include <vector>

#include "command.h"
#include "list_metrics.h"
#include "list_output.h"
#include "list_selection.h"
#include "standard_output.h"

#include "prof/base/host_fs.h"
#include "prof/base/near_names.h"
#include "prof/perf/event_catalog.h"
#include "prof/perf/event_spec.h"

namespace prof::tools {
namespace {

constexpr int kExitNothingFound = 1;
constexpr std::size_t kHintNames = 3;

constexpr const char* kExamples = R"(Examples:
  prof list                       every event, grouped by what can be done with it
  prof list hw cache              generic hardware and cache events
  prof list 'sched:*'             tracepoints of the scheduler with their fields
  prof list tlb                   whatever has tlb in its name, else description
  prof list -v pmu                with encodings and parameters
  prof list metric                what prof stat derives from events, and from which
  prof list --json | jq -r '.events[] | select(.can_sample) | .name'

Kinds: hw sw cache pmu tracepoint probe pfm raw metric. Nothing found: exit status 1.)";

struct ListOptions {
  std::vector<std::string> words;
  ListStyle style;
  bool json = false;
};

// One line for each word that selects nothing.
void PrintUnmatched(const ListSelection& selection, const perf::EventCatalog& catalog_gaps,
                    const HostFs& fs) {
  for (const std::string& word : selection.unmatched) {
    Error error{ErrorKind::kNotFound, "no event matches '" + word + "'", ""};
    const auto near = perf::NearestEventNames(word, fs, kHintNames);
    error.hint = DidYouMean(near,
                            "prof list shows all; a part of a name or a glob such as "
                            "'sched:*' selects");
    // Where the event may well exist, but not for this user.
    if (near.empty() && !catalog_gaps.gaps.empty()) {
      error.message += "; " + catalog_gaps.gaps.front().reason;
      error.hint = catalog_gaps.gaps.front().hint;
    }
    PrintError("list", error);
  }
}

int List(const ListOptions& options) {
  const HostFs fs;
  const perf::CatalogOptions catalog_options;
  perf::EventCatalog catalog = perf::ReadEventCatalog(fs, catalog_options);
  AddMetrics(fs, catalog_options.open, catalog);
  const perf::EventCatalog only_gaps{.entries = {}, .gaps = catalog.gaps};
  ListSelection selection = SelectEvents(std::move(catalog), options.words);
  // The fields of all tracepoints would take the kernel longer than all the rest.
  const bool fields = options.json || options.style.long_descriptions ||
                      (!options.words.empty() && options.style.descriptions);
  if (fields) {
    for (perf::CatalogEntry& entry : selection.entries) {
      if (entry.kind == perf::EventKind::kTracepoint || entry.kind == perf::EventKind::kProbe) {
        perf::DescribeTracepoint(entry, fs);
      }
    }
  }
  const bool nothing = selection.entries.empty() && !selection.unmatched.empty();
  if (options.json || !nothing) {
    const Status status = WriteOutput(
        options.json ? RenderListJson(selection) : RenderListText(selection, options.style),
        "list");
    if (!status) return PrintError("list", status.error());
  }
  PrintUnmatched(selection, only_gaps, fs);
  return selection.unmatched.empty() ? 0 : kExitNothingFound;
}

}  // namespace

int ListMain(const std::vector<std::string>& args) {
  ListOptions options;
  CLI::App app("List events: what they are, and whether they can be counted and sampled here.",
               "prof list");
  app.add_option("word", options.words,
                 "A kind (below), a glob over names, or a part of a name, in any case")
      ->option_text("...");
  app.add_flag("-d,--desc,!--no-desc", options.style.descriptions,
               "Descriptions (the default), or names alone");
  app.add_flag("-v,--long-desc", options.style.long_descriptions,
               "Also encodings, parameters of PMUs, and types of tracepoint fields");
  app.add_flag("-j,--json", options.json, "Everything as JSON, for programs");
  app.footer(kExamples);
  StyleHelp(app, {"prof list [OPTIONS] [KIND|GLOB|PART_OF_A_NAME]..."});
  if (const auto status = ParseArguments(app, "list", args)) return *status;
  options.style.width = TerminalWidth();
  return List(options);
}

}  // namespace prof::tools
