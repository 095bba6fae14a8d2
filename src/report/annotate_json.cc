// Writes annotated functions and comparisons as JSON; docs/annotate.md has the schema.
#include "prof/report/annotate_json.h"

#include <fmt/format.h>

#include <optional>

#include "report/annotate_shares.h"
#include "report/json_parts.h"

namespace prof::report {
namespace {

using analysis::AnnotatedFunction;
using analysis::AnnotatedInstruction;
using analysis::AnnotatedLine;
using analysis::CodeCopy;

const char* FlowName(disasm::Flow flow) {
  switch (flow) {
    case disasm::Flow::kNext:
      return "next";
    case disasm::Flow::kJump:
      return "jump";
    case disasm::Flow::kConditionalJump:
      return "conditional_jump";
    case disasm::Flow::kCall:
      return "call";
    case disasm::Flow::kReturn:
      return "return";
    case disasm::Flow::kStop:
      return "stop";
  }
  return "";
}

const char* StateName(model::SourceState state) {
  switch (state) {
    case model::SourceState::kRead:
      return "read";
    case model::SourceState::kMissing:
      return "missing";
    case model::SourceState::kUnreadable:
      return "unreadable";
    case model::SourceState::kNewerThanProgram:
      return "newer_than_program";
  }
  return "";
}

std::string Hex(model::FileAddr address) { return fmt::format("{:#x}", address.value); }

Json AddressJson(const std::optional<model::FileAddr>& address) {
  return address ? Json(Hex(*address)) : Json(nullptr);
}

Json IndexJson(const std::optional<std::uint32_t>& index) {
  return index ? Json(*index) : Json(nullptr);
}

Json FileIndexJson(std::uint32_t file) {
  return file == model::kNoFile ? Json(nullptr) : Json(file);
}

// One object per event, also where nothing was sampled.
Json AmountsJson(const analysis::Amounts& amounts, std::size_t events) {
  Json list = Json::array();
  for (std::size_t event = 0; event < events; ++event) {
    const analysis::Amount amount = AmountAt(amounts, event);
    list.push_back({{"weight", amount.weight}, {"samples", amount.samples}});
  }
  return list;
}

Json PositionJson(const analysis::Position& position) {
  Json steps = Json::array();
  for (const analysis::InlineStep& step : position) {
    steps.push_back({{"name", step.name}, {"file", FileIndexJson(step.file)}, {"line", step.line}});
  }
  return steps;
}

Json InstructionJson(const AnnotatedInstruction& instruction, std::size_t events) {
  std::string bytes;
  for (const std::byte byte : instruction.bytes)
    bytes += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return {{"address", Hex(instruction.code.address)},
          {"length", instruction.code.length},
          {"bytes", std::move(bytes)},
          {"valid", instruction.code.valid},
          {"text", instruction.code.text},
          {"flow", FlowName(instruction.code.flow)},
          {"target", AddressJson(instruction.code.target)},
          {"referred", AddressJson(instruction.code.referred)},
          {"target_name", instruction.target_name},
          {"jumps_to", IndexJson(instruction.jumps_to)},
          {"begins_block", instruction.begins_block},
          {"position", instruction.position},
          {"self", AmountsJson(instruction.self, events)}};
}

Json CopyJson(const CodeCopy& copy, std::size_t events) {
  Json positions = Json::array();
  for (const analysis::Position& position : copy.positions)
    positions.push_back(PositionJson(position));
  Json instructions = Json::array();
  for (const AnnotatedInstruction& instruction : copy.instructions)
    instructions.push_back(InstructionJson(instruction, events));
  Json hot = nullptr;
  if (copy.hot) {
    hot = {{"first", copy.hot->first},
           {"last", copy.hot->last},
           {"self", AmountsJson(copy.hot->self, events)}};
  }
  return {{"name", copy.name},
          {"linkage_name", copy.linkage_name},
          {"inlined", copy.inlined},
          {"address", Hex(copy.start)},
          {"size", copy.size},
          {"self", AmountsJson(copy.self, events)},
          {"outside", AmountsJson(copy.outside, events)},
          {"hot_block", std::move(hot)},
          {"origin", copy.origin},
          {"positions", std::move(positions)},
          {"instructions", std::move(instructions)}};
}

Json LineJson(const AnnotatedLine& line, std::size_t events) {
  Json callees = Json::array();
  for (const AnnotatedLine::Inlined& callee : line.callees) {
    callees.push_back(
        {{"position", PositionJson(callee.position)}, {"self", AmountsJson(callee.self, events)}});
  }
  return {{"file", FileIndexJson(line.file)},
          {"line", line.line},
          {"self", AmountsJson(line.self, events)},
          {"inlined", AmountsJson(line.inlined, events)},
          {"children", AmountsJson(line.children, events)},
          {"inlined_callees", std::move(callees)}};
}

Json SourceJson(const analysis::AnnotatedSource& source) {
  Json text = Json::array();
  for (const model::SourceLines& run : source.text)
    text.push_back({{"first_line", run.first_line}, {"lines", run.text}});
  return {{"path", source.path},       {"state", StateName(source.state)},
          {"bytes", source.bytes},     {"crc32c", source.checksum},
          {"warning", source.warning}, {"text", std::move(text)}};
}

Json FunctionJson(const AnnotatedFunction& function) {
  const std::size_t count = function.events.size();
  Json events = Json::array();
  for (const analysis::AnnotatedEvent& event : function.events) {
    Json json = EventJson(event.desc);
    json["precise"] = event.desc.precise;
    json["id"] = event.event;
    json["total"] = {{"weight", event.total.weight}, {"samples", event.total.samples}};
    json["addresses"] = event.skid;
    events.push_back(std::move(json));
  }
  Json sources = Json::array();
  for (const analysis::AnnotatedSource& source : function.sources)
    sources.push_back(SourceJson(source));
  Json lines = Json::array();
  for (const AnnotatedLine& line : function.lines) lines.push_back(LineJson(line, count));
  Json copies = Json::array();
  for (const CodeCopy& copy : function.copies) copies.push_back(CopyJson(copy, count));
  return {{"name", function.name},
          {"module", function.module},
          {"events", std::move(events)},
          {"self", AmountsJson(function.self, count)},
          {"children", AmountsJson(function.children, count)},
          {"sources", std::move(sources)},
          {"lines", std::move(lines)},
          {"copies", std::move(copies)},
          {"notes", function.notes}};
}

Json MatchesJson(const std::vector<analysis::FunctionMatch>& matches, std::size_t events) {
  Json list = Json::array();
  for (const analysis::FunctionMatch& match : matches) {
    list.push_back({{"name", match.name},
                    {"module", match.module},
                    {"self", AmountsJson(match.self, events)},
                    {"children", AmountsJson(match.children, events)},
                    {"copies", match.functions.size()},
                    {"only_inlined", match.only_inlined}});
  }
  return list;
}

Json ChoiceJson(const analysis::FunctionChoice& choice) {
  const std::size_t events = choice.events.size();
  return {{"events", choice.events},
          {"total", AmountsJson(choice.total, events)},
          {"file", choice.line ? Json(choice.file) : Json(nullptr)},
          {"line", IndexJson(choice.line)},
          {"matches", MatchesJson(choice.matches, events)},
          {"nearest", MatchesJson(choice.nearest, events)}};
}

// Line numbers count from 1.
Json LineNumberJson(std::uint32_t line) { return line == 0 ? Json(nullptr) : Json(line); }

}  // namespace

std::string RenderAnnotationJson(const analysis::FunctionChoice& choice,
                                 const std::vector<AnnotatedFunction>& functions,
                                 const FileFacts& file) {
  Json list = Json::array();
  for (const AnnotatedFunction& function : functions) list.push_back(FunctionJson(function));
  return DumpJson({{"format", "prof-annotate"},
                   {"version", 1},
                   {"file", FileJson(file)},
                   {"choice", ChoiceJson(choice)},
                   {"functions", std::move(list)}});
}

std::string RenderComparisonJson(const analysis::AnnotateComparison& comparison,
                                 const FileFacts& before, const FileFacts& after) {
  Json lines = Json::array();
  for (const analysis::ComparedLine& line : comparison.lines) {
    lines.push_back({{"before", IndexJson(line.before)},
                     {"after", IndexJson(line.after)},
                     {"before_line", LineNumberJson(line.before_line)},
                     {"after_line", LineNumberJson(line.after_line)},
                     {"file", line.file},
                     {"text", line.text}});
  }
  Json identical = Json::array();
  for (const analysis::ComparedCopy& pair : comparison.identical)
    identical.push_back({{"before", pair.before}, {"after", pair.after}});
  return DumpJson(
      {{"format", "prof-annotate-comparison"},
       {"version", 1},
       {"before", {{"file", FileJson(before)}, {"function", FunctionJson(comparison.before)}}},
       {"after", {{"file", FileJson(after)}, {"function", FunctionJson(comparison.after)}}},
       {"lines", std::move(lines)},
       {"identical_copies", std::move(identical)},
       {"notes", comparison.notes}});
}

}  // namespace prof::report
