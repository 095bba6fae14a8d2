// Names enumerators for JSON and headers.
#include "report/key_names.h"

namespace prof::report {

const char* KeyName(analysis::SortKey key) {
  switch (key) {
    case analysis::SortKey::kComm:
      return "comm";
    case analysis::SortKey::kPid:
      return "pid";
    case analysis::SortKey::kTid:
      return "tid";
    case analysis::SortKey::kDso:
      return "dso";
    case analysis::SortKey::kSym:
      return "sym";
    case analysis::SortKey::kSrcLine:
      return "srcline";
    case analysis::SortKey::kSrcFile:
      return "srcfile";
    case analysis::SortKey::kCpu:
      return "cpu";
    case analysis::SortKey::kTime:
      return "time";
    case analysis::SortKey::kEvent:
      return "event";
  }
  return "";
}

const char* KeyTitle(analysis::SortKey key) {
  switch (key) {
    case analysis::SortKey::kComm:
      return "Command";
    case analysis::SortKey::kPid:
      return "Pid:Command";
    case analysis::SortKey::kTid:
      return "Tid:Command";
    case analysis::SortKey::kDso:
      return "Shared Object";
    case analysis::SortKey::kSym:
      return "Symbol";
    case analysis::SortKey::kSrcLine:
      return "Source:Line";
    case analysis::SortKey::kSrcFile:
      return "Source File";
    case analysis::SortKey::kCpu:
      return "CPU";
    case analysis::SortKey::kTime:
      return "Time";
    case analysis::SortKey::kEvent:
      return "Event";
  }
  return "";
}

const char* TargetName(model::TargetKind target) {
  switch (target) {
    case model::TargetKind::kCommand:
      return "command";
    case model::TargetKind::kProcesses:
      return "processes";
    case model::TargetKind::kThreads:
      return "threads";
    case model::TargetKind::kSystem:
      return "system";
    case model::TargetKind::kCpus:
      return "cpus";
    case model::TargetKind::kImported:
      return "imported";
  }
  return "";
}

const char* CallGraphModeName(model::CallGraphMode mode) {
  switch (mode) {
    case model::CallGraphMode::kNone:
      return "none";
    case model::CallGraphMode::kAuto:
      return "auto";
    case model::CallGraphMode::kFramePointers:
      return "fp";
    case model::CallGraphMode::kDwarf:
      return "dwarf";
  }
  return "";
}

const char* LossCauseName(model::LossCause cause) {
  switch (cause) {
    case model::LossCause::kKernelRing:
      return "kernel_ring";
    case model::LossCause::kThrottled:
      return "throttled";
    case model::LossCause::kSideBandRing:
      return "side_band_ring";
    case model::LossCause::kQueueFull:
      return "queue_full";
    case model::LossCause::kStackShed:
      return "stack_shed";
    case model::LossCause::kBadRecord:
      return "bad_record";
    case model::LossCause::kUnattributed:
      return "unattributed";
    case model::LossCause::kWriteError:
      return "write_error";
    case model::LossCause::kStackCut:
      return "stack_cut";
  }
  return "";
}

const char* SymbolStatusName(model::SymbolStatus status) {
  switch (status) {
    case model::SymbolStatus::kOk:
      return "ok";
    case model::SymbolStatus::kNoSymbols:
      return "no_symbols";
    case model::SymbolStatus::kFileMissing:
      return "file_missing";
    case model::SymbolStatus::kBuildIdMismatch:
      return "build_id_mismatch";
    case model::SymbolStatus::kUnreadable:
      return "unreadable";
    case model::SymbolStatus::kNotPermitted:
      return "not_permitted";
  }
  return "";
}

}  // namespace prof::report
