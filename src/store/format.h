// The constants of the profile file; docs/file-format.md is the contract they follow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace prof::store {

// As in PNG: a byte outside ASCII and both line endings, so that a text-mode transfer is noticed.
inline constexpr std::array<std::uint8_t, 8> kFileMagic = {0x89, 'P',  'R',  'O',
                                                           'F',  '\r', '\n', 0x1a};
inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::size_t kFileHeaderBytes = 40;
inline constexpr std::uint32_t kMaxFileHeaderBytes = 4096;
inline constexpr std::uint64_t kKnownRequiredFeatures = 0;

inline constexpr std::uint32_t kBlockMagic = 0x4b4c4250;  // "PBLK"
inline constexpr std::size_t kBlockHeaderBytes = 36;
// The index is found from the end of a file: its last 8 bytes are its length and this.
inline constexpr std::uint32_t kIndexTrailerMagic = 0x444e4550;  // "PEND"
inline constexpr std::size_t kIndexTrailerBytes = 8;

enum class BlockType : std::uint16_t {
  kRecords = 1,
  kData = 2,
  kSymbols = 3,
  kIndex = 4,
  kCode = 5
};
inline constexpr auto kLastBlockType = BlockType::kCode;

inline constexpr std::uint16_t kBlockZstd = 1;  // the payload is one zstd frame
inline constexpr std::uint16_t kBlockRequired =
    2;  // who does not know the type must refuse the file

// Limits that a reader may rely on; a writer keeps them.
inline constexpr std::uint32_t kMaxRawBytes = 64U << 20;
inline constexpr std::size_t kMaxRows = 131'072;  // of one table in one block
inline constexpr std::size_t kMaxStringBytes = 64U
                                               << 10;  // in a strings section; longer ones are cut
inline constexpr std::size_t kMaxEpochStringBytes = 256U << 20;
// What the rows of one block refer to, counted once per reference: a small block cannot ask for
// more.
inline constexpr std::size_t kMaxBlockTextBytes = 64U << 20;
inline constexpr std::size_t kMaxSharedPrefixBytes = 255;
inline constexpr std::size_t kMaxInlineFrames = 1024;  // of one address
// Of one function or source line in a code block, so that several always fit below
// kMaxBlockTextBytes.
inline constexpr std::size_t kMaxFunctionTextBytes = kMaxBlockTextBytes / 4;

struct BlockHeader {
  std::uint16_t type = 0;
  std::uint16_t flags = 0;
  std::uint32_t raw_bytes = 0;
  std::uint32_t stored_bytes = 0;
  std::uint32_t sequence = 0;
  std::uint32_t epoch = 0;    // EpochBegin records written so far, this block's included
  std::uint32_t samples = 0;  // in this block: known even when its payload is broken
  std::uint32_t payload_crc = 0;
};

// Sections of data, symbol, index and code blocks.
enum class Section : std::uint8_t {
  kStrings = 0,
  kModules = 1,
  kProcesses = 2,
  kThreads = 3,
  kRenames = 4,
  kNodes = 5,
  kSamples = 6,
  kLosses = 7,
  kSlices = 8,
  kCounters = 9,
  kSymbolModules = 10,
  kSymbolAddresses = 11,
  kSymbolFrames = 12,
  kIndexBlocks = 13,
  kCodeModules = 14,
  kFunctions = 15,
  kFunctionFiles = 16,
  kCodeLines = 17,
  kInlinedRanges = 18,
  kReferences = 19,
  kCodeBytes = 20,
  kSourceFiles = 21,
  kSourcePieces = 22,
  kSourceLines = 23,
};
inline constexpr std::size_t kSections = 24;

// Kinds of records in a records block.
enum class RecordKind : std::uint8_t {
  kRecordingInfo = 1,
  kEventDef = 2,
  kEpochBegin = 3,
  kCpuUsage = 4,
  kRecordingEnd = 5,
  kSideDef = 6,
  kMetricDef = 7,
  kRunDef = 8,
  kCodeSummary = 9,
};

// How the rows of one column become bytes.
enum class Encoding : std::uint8_t {
  kConstant = 0,      // one varint for all rows
  kVarint = 1,        // every value
  kDelta = 2,         // zigzag difference to the row before
  kRuns = 3,          // (value, number of rows) pairs
  kLinear = 4,        // first value, zigzag step
  kFromColumn = 5,    // zigzag difference to another column of the same row
  kGroupedDelta = 6,  // zigzag difference to the last row with the same key, less a bias
  kBelowMax = 7,      // zigzag difference to the largest value so far
};

}  // namespace prof::store
