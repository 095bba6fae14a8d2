// Annotates functions whose code bytes, line tables, inlined ranges, references and sampled
// addresses are arbitrary, and compares the result with that of a second half of the input. What
// the sums promise must hold.
#include <elf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "prof/analysis/annotate.h"
#include "prof/analysis/annotate_compare.h"

namespace {

using namespace prof;  // NOLINT: one file, no interface

// The bytes of an input, zeros behind its end.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint8_t Byte() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }
  // Small numbers, now and then a large one.
  std::uint32_t Number() {
    const std::uint8_t byte = Byte();
    return byte < 0xf0 ? byte : (byte & 15U) << 28 | Byte();
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

constexpr std::uint64_t kStart = 0x1000;

std::string Name(std::uint8_t choice) {
  constexpr std::array<const char*, 4> kNames = {"f", "f.cold", "g", "_ZN1a1bIiEEvv"};
  return kNames[choice % kNames.size()];
}

std::string File(std::uint8_t choice) {
  return choice % 4 == 0 ? "" : "/src/" + std::string(1, static_cast<char>('a' + choice % 4));
}

model::FunctionCode MakeCode(Input& input) {
  model::FunctionCode code;
  code.start = {kStart};
  code.name = "f";
  code.size = input.Number();
  code.code.resize(input.Byte());
  for (std::byte& byte : code.code) byte = static_cast<std::byte>(input.Byte());
  for (unsigned i = input.Byte() % 4; i > 0; --i) code.files.push_back(File(input.Byte()));
  for (unsigned i = input.Byte(); i > 0; --i) {
    code.lines.push_back({{kStart - 4 + input.Number()}, input.Number(), input.Number()});
  }
  for (unsigned i = input.Byte(); i > 0; --i) {
    code.inlined.push_back({{kStart - 4 + input.Number()},
                            {kStart - 4 + input.Number()},
                            input.Number(),
                            Name(input.Byte()),
                            input.Number(),
                            input.Number()});
  }
  for (unsigned i = input.Byte() % 8; i > 0; --i) {
    code.references.push_back({{kStart + input.Number()}, Name(input.Byte()), input.Number()});
  }
  return code;
}

void AddSamples(Input& input, const model::Module& module, analysis::ProfileBuilder& builder) {
  model::ModuleSymbols symbols;
  symbols.module = module;
  model::StackId parent = model::RootOf(model::StackEnd::kComplete);
  const unsigned nodes = input.Byte() % 32;
  for (model::StackId id = model::kStackRootCount; id < model::kStackRootCount + nodes; ++id) {
    const model::FileAddr address{kStart - 4 + input.Number()};
    (void)builder.Append(model::StackNodeDef{
        .id = id, .parent = parent, .frame = {.module = 0, .kind = {}, .address = address}});
    (void)builder.Append(model::Sample{.weight = input.Byte(), .stack = id});
    if (input.Byte() % 2 == 0) parent = id;
    model::AddressSymbols entry{.address = address, .function_start = {kStart}, .frames = {}};
    entry.function_size = input.Number();
    for (unsigned i = input.Byte() % 3; i > 0; --i) {
      entry.frames.push_back({Name(input.Byte()), File(input.Byte()), input.Number(), true});
    }
    entry.frames.push_back({Name(input.Byte()), File(input.Byte()), input.Number(), false});
    symbols.addresses.push_back(std::move(entry));
  }
  (void)builder.Append(symbols);
}

analysis::Profile MakeProfile(Input& input) {
  analysis::ProfileBuilder builder;
  const model::Module module{.kind = model::ModuleKind::kElf, .path = "/bin/app", .build_id = {}};
  model::EventDef event;
  event.event.name = "cycles";
  (void)builder.Append(event);
  (void)builder.Append(model::EpochBegin{});
  (void)builder.Append(model::ModuleDef{.id = 0, .module = module});
  AddSamples(input, module, builder);
  model::ModuleCode code{.module = module, .detail = {}, .functions = {}};
  code.machine.number = input.Byte() % 2 == 0 ? EM_X86_64 : EM_386;
  code.functions.push_back(MakeCode(input));
  (void)builder.Append(code);
  model::SourceFile source{.path = "/src/b", .state = model::SourceState::kRead, .text = {}};
  for (unsigned i = input.Byte() % 4; i > 0; --i) {
    source.text.push_back({input.Number(), std::vector<std::string>(input.Byte() % 8, "line")});
  }
  (void)builder.Append(source);
  return builder.Build();
}

void CheckSums(const analysis::AnnotatedFunction& function) {
  std::uint64_t lines = 0;
  std::uint64_t copies = 0;
  for (const analysis::AnnotatedLine& line : function.lines) lines += line.self[0].samples;
  for (const analysis::CodeCopy& copy : function.copies) {
    copies += copy.self[0].samples;
    std::uint64_t inside = copy.outside[0].samples;
    for (const auto& instruction : copy.instructions) {
      inside += instruction.self[0].samples;
      if (instruction.position >= copy.positions.size()) std::abort();
    }
    if (inside != copy.self[0].samples) std::abort();
  }
  if (lines != function.self[0].samples || copies != lines) std::abort();
}

std::vector<analysis::AnnotatedFunction> AnnotateAll(const analysis::Profile& profile) {
  std::vector<analysis::AnnotatedFunction> functions;
  for (const char* query : {"", "f", "b:3", "."}) {
    const auto choice = analysis::ChooseFunctions(profile, query, {});
    if (!choice.has_value()) std::abort();
    for (const analysis::FunctionMatch& match : choice->matches) {
      auto function = analysis::Annotate(profile, match, {});
      if (!function.has_value()) std::abort();
      CheckSums(*function);
      for (analysis::AnnotatedSource& source : function->sources) {
        if (source.path.ends_with("c")) AddSourceText(source, {"one", "two", "three"}, 1, 1);
      }
      functions.push_back(std::move(*function));
    }
  }
  return functions;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input({data, size});
  const auto before = AnnotateAll(MakeProfile(input));
  const auto after = AnnotateAll(MakeProfile(input));
  if (before.empty() || after.empty()) return 0;
  const auto comparison = analysis::CompareAnnotations(before.front(), after.front());
  if (!comparison.has_value()) std::abort();
  return 0;
}
