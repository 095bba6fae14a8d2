// Resolves, reads and writes, the hottest modules first.
#include "recording_tail.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "command.h"

#include "prof/analysis/hot_code.h"
#include "prof/symbols/source_files.h"
#include "prof/symbols/symbolizer.h"

namespace prof::tools {
namespace {

symbols::ModuleFiles FilesOf(const collect::HitModule& hit) {
  return {.image = hit.file,
          .root = hit.root.get(),
          .perf_map_path = hit.perf_map_path,
          .perf_map_fd = hit.perf_map == nullptr ? -1 : hit.perf_map->get(),
          .jit_dump_fds = hit.jit_dumps,
          .user = hit.user,
          .process_start_s = hit.process_start_s};
}

// When the program was built, as far as its file tells.
std::optional<std::int64_t> ModifiedAt(const collect::HitModule& hit) {
  if (hit.module.kind != model::ModuleKind::kElf || hit.module.replaced) return {};
  struct stat info {};
  if (hit.root != nullptr) {
    const auto fd = hit.root->OpenFile(hit.module.path);
    if (!fd || ::fstat(fd->get(), &info) != 0) return {};
  } else if (::stat(hit.module.path.c_str(), &info) != 0) {
    return {};
  }
  return info.st_mtim.tv_sec;
}

std::uint64_t SelfOf(std::span<const analysis::AddressHits> hits,
                     const model::FunctionCode& function) {
  std::uint64_t self = 0;
  auto hit = std::ranges::lower_bound(hits, function.start, {}, &analysis::AddressHits::address);
  for (; hit != hits.end() && hit->address - function.start < function.size; ++hit)
    self += hit->self;
  return self;
}

class TailWriter {
 public:
  TailWriter(const collect::RecordSession& session, store::Writer& writer,
             const analysis::HitCounts& hits, const RecordArguments& arguments)
      : writer_(writer),
        hits_(hits),
        arguments_(arguments),
        show_progress_(!arguments.quiet && ::isatty(STDERR_FILENO) == 1),
        modules_(session.HitModules()),
        functions_(hits.samples()) {
    for (const collect::HitModule& hit : modules_) {
      if (hit.root != nullptr && std::ranges::find(roots_, hit.root.get()) == roots_.end())
        roots_.push_back(hit.root.get());
    }
  }

  Status Run() {
    symbols::SymbolizerOptions options{.cache_dir = SymbolCacheDir()};
    PROF_TRY(ApplyDebuginfod(arguments_.debuginfod, "record", show_progress_, options));
    symbols::Symbolizer symbolizer(std::move(options));
    std::ranges::sort(modules_, [this](const auto& a, const auto& b) {
      const double share_a = hits_.ModuleShare(a.module);
      const double share_b = hits_.ModuleShare(b.module);
      return share_a != share_b ? share_a > share_b : a.module < b.module;
    });
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      ShowProgress("symbols and code of module", i + 1);
      PROF_TRY(WriteModule(symbolizer, modules_[i]));
    }
    for (model::ModuleCode& code : code_) {
      PROF_TRY(writer_.Append(model::Record(std::exchange(code, {}))));
    }
    PROF_TRY(WriteSources());
    if (show_progress_) std::fputs("\r\033[K", stderr);
    if (!arguments_.quiet) PrintDebuginfodCounts("record", symbolizer);
    return {};
  }

 private:
  void ShowProgress(const char* what, std::size_t number) const {
    if (show_progress_) std::fprintf(stderr, "\r\033[Kprof record: %s %zu", what, number);
  }

  // The symbols go out; code waits, so that the file has all symbols first.
  Status WriteModule(symbols::Symbolizer& symbolizer, const collect::HitModule& hit) {
    symbols::ModuleFiles files = FilesOf(hit);
    files.ask_server = hits_.ModuleShare(hit.module) >= kLeastDownloadShare;
    model::ModuleSymbols symbols = symbolizer.Resolve(hit.module, hit.addresses, files);
    const auto hits = hits_.Of(hit.module);
    const auto ranges = functions_.Choose(symbols, hits);
    if (!ranges.empty()) {
      model::ModuleCode code = symbolizer.ReadCode(hit.module, ranges, files);
      functions_.Count(code);
      for (const model::FunctionCode& function : code.functions)
        lines_.AddFunction(function, SelfOf(hits, function));
      code_.push_back(std::move(code));
    }
    lines_.Add(symbols, hits, ModifiedAt(hit));
    return writer_.Append(model::Record(std::move(symbols)));
  }

  // Sources are looked for where the compiler saw them: in the targets' roots, then here.
  analysis::ReadText ReadText(const std::string& path) const {
    Result<symbols::SourceText> found = Fail(ErrorKind::kNotFound, path);
    for (const RootDir* root : roots_) {
      found = symbols::ReadSource({}, path, root);
      if (found) break;
    }
    if (!found) found = symbols::ReadSource({}, path);
    if (!found) {
      const bool missing = found.error().kind == ErrorKind::kNotFound;
      return {.state = missing ? model::SourceState::kMissing : model::SourceState::kUnreadable,
              .lines = {}};
    }
    return {.state = model::SourceState::kRead,
            .lines = std::move(found->lines),
            .bytes = found->bytes,
            .checksum = found->checksum,
            .modified_s = found->modified_s};
  }

  Status WriteSources() {
    model::CodeSummary summary = functions_.summary();
    std::size_t done = 0;
    const auto read = [&](const std::string& path) {
      ShowProgress("source file", ++done);
      return ReadText(path);
    };
    for (model::SourceFile& source :
         analysis::EmbedSources(lines_, read, {.text = arguments_.embed_source}, summary)) {
      PROF_TRY(writer_.Append(model::Record(std::move(source))));
    }
    return writer_.Append(model::Record(summary));
  }

  store::Writer& writer_;
  const analysis::HitCounts& hits_;
  const RecordArguments& arguments_;
  const bool show_progress_;
  std::vector<collect::HitModule> modules_;
  std::vector<const RootDir*> roots_;  // of targets that see other files than prof does
  analysis::HotFunctions functions_;
  analysis::HotLines lines_;
  std::vector<model::ModuleCode> code_;
};

}  // namespace

Status WriteRecordingTail(const collect::RecordSession& session, store::Writer& writer,
                          const analysis::HitCounts& hits, const RecordArguments& arguments) {
  return TailWriter(session, writer, hits, arguments).Run();
}

}  // namespace prof::tools
