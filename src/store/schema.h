// The columns of every table. Their order is their number in the file: append only.
#pragma once

#include <array>
#include <cstdint>

#include "store/column_codec.h"

#include "prof/model/record.h"

namespace prof::store::schema {

inline constexpr std::uint64_t kBool = 1;
inline constexpr std::uint64_t kU16 = 0xffff;
inline constexpr std::uint64_t kU32 = 0xffff'ffffU;

template <class Enum>
constexpr ColumnSpec EnumColumn(Enum last) {
  return {.max = static_cast<std::uint64_t>(last)};
}
inline constexpr ColumnSpec kNumber32 = {.max = kU32};
inline constexpr ColumnSpec kNumber64 = {};
inline constexpr ColumnSpec kFlag = {.max = kBool};
// Ids that are mostly one more than the largest so far when they are new.
inline constexpr ColumnSpec kNewestId = {.max = kU32, .special = Encoding::kBelowMax};

inline constexpr auto kLastModuleKind = model::ModuleKind::kUnknown;
inline constexpr auto kLastFrameKind = model::FrameKind::kJoined;
inline constexpr auto kLastLossCause = model::LossCause::kStackCut;
inline constexpr auto kLastSymbolStatus = model::SymbolStatus::kNotPermitted;
inline constexpr auto kLastSourceState = model::SourceState::kNewerThanProgram;

struct Modules {
  enum Column { kId, kKind, kPath, kBuildId, kPid, kReplaced, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber32, EnumColumn(kLastModuleKind), kNewestId, kNewestId, kNumber32, kFlag};
};

struct Processes {
  enum Column { kId, kPid, kNsPid, kParent, kStart, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber32, kNumber32, ColumnSpec{.max = kU32, .special = Encoding::kFromColumn, .key = kPid},
      ColumnSpec{.missing = model::kNoProcess, .max = kU32},
      ColumnSpec{.missing = model::kUnknownTime}};
};

struct Threads {
  enum Column { kId, kProcess, kTid, kStart, kName, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber32, ColumnSpec{.missing = model::kNoProcess, .max = kU32}, kNumber32,
      ColumnSpec{.missing = model::kUnknownTime}, kNewestId};
};

struct Renames {
  enum Column { kThread, kTime, kExec, kName, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {kNumber32, kNumber64, kFlag, kNewestId};
};

struct Nodes {
  enum Column { kId, kModule, kKind, kParent, kAddress, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber32, kNumber32, EnumColumn(kLastFrameKind),
      // A new stack is a chain of new nodes: the parent is mostly the node before.
      ColumnSpec{.max = kU32, .special = Encoding::kFromColumn, .key = kId},
      ColumnSpec{.special = Encoding::kGroupedDelta, .key = kModule}};
};

struct Samples {
  enum Column { kCpu, kEvent, kThread, kTime, kWeight, kTimes, kStack, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      ColumnSpec{.missing = model::kUnknownCpu, .max = kU32},
      kNumber32,
      ColumnSpec{.missing = model::kUnknownThread,
                 .max = kU32,
                 .special = Encoding::kGroupedDelta,
                 .key = kCpu},
      ColumnSpec{.missing = model::kUnknownTime, .special = Encoding::kGroupedDelta, .key = kCpu},
      ColumnSpec{.special = Encoding::kGroupedDelta, .key = kCpu},
      ColumnSpec{.missing = 1},
      kNewestId};
};

struct Losses {
  enum Column { kCause, kTime, kCpu, kTimes, kAtLeast, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      EnumColumn(kLastLossCause), ColumnSpec{.missing = model::kUnknownTime},
      ColumnSpec{.missing = model::kUnknownCpu, .max = kU32}, kNumber64, kFlag};
};

struct Slices {
  enum Column { kLane, kName, kCategory, kBegin, kDuration, kThread, kStack, kCorrelation, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNewestId, kNewestId,
      kNewestId, ColumnSpec{.special = Encoding::kGroupedDelta, .key = kLane},
      kNumber64, ColumnSpec{.missing = model::kUnknownThread, .max = kU32},
      kNewestId, kNumber64};
};

struct Counters {
  enum Column { kRun, kEvent, kCpu, kThread, kTime, kValue, kEnabled, kRunning, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber32,
      kNumber32,
      ColumnSpec{.missing = model::kUnknownCpu, .max = kU32},
      ColumnSpec{.missing = model::kUnknownThread, .max = kU32},
      ColumnSpec{.missing = model::kUnknownTime, .special = Encoding::kGroupedDelta, .key = kCpu},
      ColumnSpec{.special = Encoding::kGroupedDelta, .key = kEvent},
      ColumnSpec{.special = Encoding::kGroupedDelta, .key = kEvent},
      ColumnSpec{.special = Encoding::kFromColumn, .key = kEnabled}};
};

struct SymbolModules {
  enum Column { kKind, kPath, kBuildId, kPid, kReplaced, kStatus, kDetail, kAddresses, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      EnumColumn(kLastModuleKind),   kNewestId, kNewestId, kNumber32, kFlag,
      EnumColumn(kLastSymbolStatus), kNewestId, kNumber32};
};

struct SymbolAddresses {
  enum Column { kAddress, kStart, kSize, kFrames, kUnoptimized, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber64, ColumnSpec{.special = Encoding::kFromColumn, .key = kAddress},
      ColumnSpec{.special = Encoding::kGroupedDelta, .key = kStart}, kNumber32, kFlag};
};

struct SymbolFrames {
  enum Column { kName, kFile, kLine, kInlined, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNewestId, kNewestId,
      ColumnSpec{.max = kU32, .special = Encoding::kGroupedDelta, .key = kName}, kFlag};
};

struct CodeModules {
  enum Column {
    kKind,
    kPath,
    kBuildId,
    kPid,
    kReplaced,
    kMachine,
    kIs64,
    kBigEndian,
    kDetail,
    kFunctions,
    kCount
  };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      EnumColumn(kLastModuleKind), kNewestId, kNewestId, kNumber32, kFlag,
      ColumnSpec{.max = kU16},     kFlag,     kFlag,     kNewestId, kNumber32};
};

struct Functions {
  enum Column { kStart, kSize, kName, kBytes, kFiles, kLines, kInlined, kReferences, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber64, kNumber64, kNewestId,
      // All of its code, but for the largest functions.
      ColumnSpec{.max = kU32, .special = Encoding::kFromColumn, .key = kSize}, kNumber32, kNumber32,
      kNumber32, kNumber32};
};

struct FunctionFiles {
  enum Column { kPath, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {kNewestId};
};

struct CodeLines {
  enum Column { kAddress, kFile, kLine, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber64, ColumnSpec{.missing = model::kNoFile, .max = kU32},
      ColumnSpec{.max = kU32, .special = Encoding::kGroupedDelta, .key = kFile}};
};

struct InlinedRanges {
  enum Column { kBegin, kEnd, kDepth, kName, kCallFile, kCallLine, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber64,
      ColumnSpec{.special = Encoding::kFromColumn, .key = kBegin},
      ColumnSpec{.missing = 1, .max = kU32},
      kNewestId,
      ColumnSpec{.missing = model::kNoFile, .max = kU32},
      ColumnSpec{.max = kU32, .special = Encoding::kGroupedDelta, .key = kName}};
};

struct References {
  enum Column { kName, kOffset, kAddress, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNewestId, kNumber64, ColumnSpec{.special = Encoding::kGroupedDelta, .key = kName}};
};

struct SourceFiles {
  enum Column { kPath, kState, kBytes, kChecksum, kPieces, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {kNewestId, EnumColumn(kLastSourceState),
                                                           kNumber64, kNumber32, kNumber32};
};

struct SourcePieces {
  enum Column { kFirstLine, kLines, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {kNumber32, kNumber32};
};

struct SourceText {
  enum Column { kText, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {kNewestId};
};

struct IndexBlocks {
  enum Column { kOffset, kType, kEpoch, kSamples, kBegin, kEnd, kCount };
  static constexpr std::array<ColumnSpec, kCount> kSpec = {
      kNumber64,
      kNumber32,
      kNumber32,
      kNumber32,
      ColumnSpec{.missing = model::kUnknownTime},
      ColumnSpec{.missing = model::kUnknownTime}};
};

}  // namespace prof::store::schema
