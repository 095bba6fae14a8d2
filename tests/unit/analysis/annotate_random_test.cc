// Annotations of random profiles: sums that must hold, and code and tables that make no sense.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "analysis/annotate/amounts.h"
#include "unit/analysis/annotate_code.h"

namespace prof::analysis {
namespace {

using test::Stream;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::uint64_t Below(std::uint64_t end) { return random_() % end; }

  Profile Make() {
    const auto app = stream_.Module("/bin/app");
    const auto thread = stream_.Thread(5, 5, "app");
    const auto second = stream_.AddEvent("second");
    std::vector<model::StackId> nodes = {model::RootOf(model::StackEnd::kComplete),
                                         model::RootOf(model::StackEnd::kTruncated)};
    for (int i = 0; i < 200; ++i) {
      const auto kind = Below(2) == 0 ? model::FrameKind::kInstruction : model::FrameKind::kReturn;
      nodes.push_back(
          stream_.Node(nodes[Below(nodes.size())], app, 0x1000 + Below(kAddresses), kind));
    }
    for (int i = 0; i < 300; ++i) {
      stream_.Sample(thread, nodes[Below(nodes.size())], Below(50), 1000, 0,
                     Below(3) == 0 ? second : 0);
    }
    for (std::uint64_t i = 0; i < kAddresses; ++i) AddSymbol(app, 0x1000 + i);
    std::vector<model::FunctionCode> code;
    for (std::uint64_t i = 0; i < kAddresses; i += kFunctionBytes) code.push_back(Code(0x1000 + i));
    constexpr std::array<std::uint16_t, 2> kMachines = {EM_X86_64, EM_386};
    test::AddCode(stream_, app, std::move(code), kMachines[Below(kMachines.size())]);
    return stream_.Build();
  }

 private:
  static constexpr std::uint64_t kAddresses = 128;
  static constexpr std::uint64_t kFunctionBytes = 32;

  std::string Name() {
    constexpr std::array<const char*, 6> kNames = {"f", "f.cold",        "g",
                                                   "h", "_ZN1a1bIiEEvv", "_ZN1a1bIdEEvv"};
    return kNames[Below(kNames.size())];
  }
  std::string File() { return Below(5) == 0 ? "" : std::string("/src/") + "abc"[Below(3)] + ".c"; }

  void AddSymbol(model::ModuleId app, std::uint64_t address) {
    if (Below(10) == 0) return;
    std::vector<model::SymbolFrame> frames;
    for (std::uint64_t i = Below(4); i > 0; --i) {
      frames.push_back({Name(), File(), static_cast<std::uint32_t>(Below(5)), true});
    }
    frames.push_back({Name(), File(), static_cast<std::uint32_t>(Below(5)), false});
    const std::uint64_t start = address - address % kFunctionBytes;
    stream_.Symbol(app, address, frames, start, Below(8) == 0 ? 0 : kFunctionBytes);
  }

  model::FunctionCode Code(std::uint64_t start) {
    model::FunctionCode code;
    code.start = {start};
    code.size = Below(4) == 0 ? Below(100) : kFunctionBytes;
    code.name = Name();
    for (std::uint64_t i = Below(40); i > 0; --i) {
      code.code.push_back(static_cast<std::byte>(Below(256)));
    }
    for (std::uint64_t i = Below(3); i > 0; --i) code.files.push_back(File());
    const auto place = [&] { return model::FileAddr{start - 8 + Below(64)}; };
    for (std::uint64_t i = Below(20); i > 0; --i) {
      code.lines.push_back(
          {place(), static_cast<std::uint32_t>(Below(4)), static_cast<std::uint32_t>(Below(9))});
    }
    for (std::uint64_t i = Below(10); i > 0; --i) {
      code.inlined.push_back({place(), place(), static_cast<std::uint32_t>(Below(5)), Name(),
                              static_cast<std::uint32_t>(Below(4)),
                              static_cast<std::uint32_t>(Below(9))});
    }
    for (std::uint64_t i = Below(5); i > 0; --i) {
      code.references.push_back({{Below(0x3000)}, Name(), Below(3)});
    }
    return code;
  }

  std::mt19937_64 random_;
  Stream stream_;
};

// What the definitions say, sample by sample.
struct Slow {
  Amounts self = Amounts(2);
  Amounts children = Amounts(2);
  std::map<std::pair<std::string, std::uint32_t>, Amounts> line_self;
  std::map<std::pair<std::string, std::uint32_t>, Amounts> line_children;
};

Slow CountSlowly(const Profile& profile, const FunctionMatch& match) {
  Slow slow;
  const std::set<FunctionIndex> ours(match.functions.begin(), match.functions.end());
  const auto place = [&](const CodeLocation& location) {
    const bool known = location.file != kNoIndex && location.line != 0;
    return known ? std::pair(std::string(profile.Name(location.file)), location.line)
                 : std::pair(std::string(), std::uint32_t{0});
  };
  const auto at = [](auto& map, const auto& key) -> Amounts& {
    return map.try_emplace(key, Amounts(2)).first->second;
  };
  for (const model::Sample& sample : profile.samples()) {
    const Amount amount{sample.weight, sample.count};
    std::set<std::pair<std::string, std::uint32_t>> lines;
    NodeIndex node = sample.stack;
    do {
      const auto chain = profile.Locations(node);
      const CodeLocation* outermost = nullptr;
      for (const CodeLocation& location : chain) {
        if (!ours.contains(location.function)) continue;
        outermost = &location;
        lines.insert(place(location));
      }
      if (node == sample.stack && outermost != nullptr) {
        slow.self[sample.event] += amount;
        at(slow.line_self, place(*outermost))[sample.event] += amount;
      }
      node = profile.nodes()[node].parent;
    } while (!model::IsRoot(node));
    if (!lines.empty()) slow.children[sample.event] += amount;
    for (const auto& line : lines) at(slow.line_children, line)[sample.event] += amount;
  }
  return slow;
}

void CheckLines(const AnnotatedFunction& function, const Slow& slow) {
  Amounts sum(2);
  std::size_t with_children = 0;
  for (const AnnotatedLine& line : function.lines) {
    const auto key = std::pair(
        line.file == model::kNoFile ? "" : function.sources.at(line.file).path, line.line);
    const auto self = slow.line_self.find(key);
    EXPECT_EQ(line.self, self == slow.line_self.end() ? Amounts(2) : self->second);
    const auto children = slow.line_children.find(key);
    ASSERT_NE(children, slow.line_children.end());
    EXPECT_EQ(line.children, children->second);
    ++with_children;
    AddTo(sum, line.self);
    Amounts callees(2);
    for (const auto& callee : line.callees) AddTo(callees, callee.self);
    EXPECT_EQ(callees, line.inlined);
  }
  EXPECT_EQ(sum, function.self);
  std::size_t expected = 0;
  for (const auto& [key, children] : slow.line_children) expected += IsZero(children) ? 0 : 1;
  EXPECT_EQ(with_children, expected);
}

void CheckCopies(const AnnotatedFunction& function) {
  Amounts sum(2);
  for (const CodeCopy& copy : function.copies) {
    AddTo(sum, copy.self);
    Amounts inside = copy.outside;
    std::uint64_t next = 0;
    for (const AnnotatedInstruction& instruction : copy.instructions) {
      AddTo(inside, instruction.self);
      ASSERT_LT(instruction.position, copy.positions.size());
      ASSERT_FALSE(copy.positions[instruction.position].empty());
      EXPECT_EQ(instruction.bytes.size(), instruction.code.length);
      EXPECT_GE(instruction.code.address.value, next);
      next = instruction.code.address.value + instruction.code.length;
      if (instruction.jumps_to) {
        ASSERT_LT(*instruction.jumps_to, copy.instructions.size());
        EXPECT_TRUE(copy.instructions[*instruction.jumps_to].begins_block);
      }
    }
    EXPECT_EQ(inside, copy.self);
    EXPECT_EQ(copy.instructions.empty() && copy.origin.empty(), false);
    if (copy.hot) {
      EXPECT_LE(copy.hot->first, copy.hot->last);
      ASSERT_LT(copy.hot->last, copy.instructions.size());
    }
  }
  EXPECT_EQ(sum, function.self);
}

TEST(RandomProfiles, AddUpAndNeverCrash) {
  std::size_t annotated = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Profile profile = Generator(seed).Make();
    for (const char* query : {"", "f", "g", "h", "a::b<int>", "b", "a.c:1", "."}) {
      auto choice = ChooseFunctions(profile, query, {});
      ASSERT_TRUE(choice.has_value());
      for (const FunctionMatch& match : choice->matches) {
        const Slow slow = CountSlowly(profile, match);
        EXPECT_EQ(match.self, slow.self);
        EXPECT_EQ(match.children, slow.children);
        const auto function = Annotate(profile, match, {});
        ASSERT_TRUE(function.has_value());
        EXPECT_EQ(function->self, slow.self);
        EXPECT_EQ(function->children, slow.children);
        CheckLines(*function, slow);
        CheckCopies(*function);
        if (HasFailure()) return;
        ++annotated;
      }
    }
  }
  EXPECT_GT(annotated, 1000U);
}

}  // namespace
}  // namespace prof::analysis
