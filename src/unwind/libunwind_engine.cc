// Drives libunwind's remote interface over one stack copy and the images of the process's modules.
#include "unwind/libunwind_engine.h"

#define UNW_REMOTE_ONLY
#include <libunwind.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "unwind/module_cfi_table.h"
#include "unwind/walk/guess.h"
#include "unwind/walk/registers.h"
#include "unwind/walk/stack_memory.h"

// Exported by libunwind but declared in none of its headers; perf uses it the same way.
extern "C" int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t*,
                                                  unw_proc_info_t*, int, void*);

namespace prof::unwind {

namespace {

using model::StackEnd;

// libunwind numbers the registers as DWARF does.
#if defined(__x86_64__)
using Host = walk::X86_64;
constexpr std::array<unw_regnum_t, 6> kCalleeSaved = {3, 6, 12, 13, 14, 15};
#else
using Host = walk::Aarch64;
constexpr std::array<unw_regnum_t, 11> kCalleeSaved = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#endif
static_assert(Host::kArch == kHostArch);
constexpr auto kFramePointer = static_cast<unw_regnum_t>(Host::kFp);

// One image where one process has it, from its lowest to its highest address. Wider than the
// executable mapping: .eh_frame lies in a mapping of its own that the kernel does not report.
struct PlacedImage {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t bias = 0;
  const ElfImage* image = nullptr;
  model::LoadedModule module = 0;
};

// Unwind information that is in no file, where libunwind is told that it is.
struct PlacedBytes {
  std::uint64_t start = 0;
  std::span<const std::byte> bytes;
};

const PlacedImage* FindPlaced(const std::vector<PlacedImage>& placed, std::uint64_t address) {
  auto it = std::ranges::upper_bound(placed, address, {}, &PlacedImage::start);
  if (it == placed.begin()) return nullptr;
  --it;
  return address < it->end ? &*it : nullptr;
}

// What the callbacks of one walk know and remember.
struct Walk {
  Walk(ModuleCfiTable& module_table, const std::vector<PlacedImage>& images,
       std::vector<PlacedBytes>& made_bytes, const StackInput& input)
      : modules(&module_table),
        placed(&images),
        made(&made_bytes),
        stack(input.registers.sp().value, input.stack),
        registers(input.registers) {}

  ModuleCfiTable* modules;
  const std::vector<PlacedImage>* placed;
  std::vector<PlacedBytes>* made;  // of the modules met so far
  walk::StackMemory stack;
  Registers registers;
  // Words below the stack pointer: save slots whose registers have been restored already.
  std::array<std::pair<std::uint64_t, std::uint64_t>, kCalleeSaved.size()> restored{};
  std::size_t restored_count = 0;
  // A damaged expression can loop for ever; each of its steps reads memory.
  std::size_t reads_left = 200'000;
  bool no_unwind_info = false;
  std::optional<std::uint64_t> unreadable;
};

// The aligned word at `address`; bytes of it that are outside the image read as zero, because
// libunwind reads whole words around the last bytes of a section.
bool ReadImageWord(const PlacedImage& placed, std::uint64_t address, unw_word_t& word) {
  const model::FileAddr file_address{address - placed.bias};
  for (std::size_t size = sizeof(word); size > 0; --size) {
    const auto bytes = placed.image->BytesAt(file_address, size);
    if (bytes.empty()) continue;
    word = 0;
    std::memcpy(&word, bytes.data(), size);
    return true;
  }
  return false;
}

bool ReadMadeWord(const std::vector<PlacedBytes>& made, std::uint64_t address, unw_word_t& word) {
  for (const PlacedBytes& part : made) {
    const std::uint64_t skip = address - part.start;
    if (address < part.start || skip >= part.bytes.size()) continue;
    word = 0;
    std::memcpy(&word, part.bytes.data() + skip, std::min(sizeof(word), part.bytes.size() - skip));
    return true;
  }
  return false;
}

int AccessMemory(unw_addr_space_t, unw_word_t address, unw_word_t* value, int write, void* arg) {
  auto& walk = *static_cast<Walk*>(arg);
  if (write != 0 || walk.reads_left == 0) return -UNW_EINVAL;
  --walk.reads_left;
  std::uint64_t word = 0;
  if (walk.stack.Read(address, word)) {
    *value = word;
    return 0;
  }
  for (std::size_t i = 0; i < walk.restored_count; ++i) {
    if (walk.restored[i].first != address) continue;
    *value = walk.restored[i].second;
    return 0;
  }
  if (ReadMadeWord(*walk.made, address, *value)) return 0;
  const PlacedImage* placed = FindPlaced(*walk.placed, address);
  if (placed != nullptr && ReadImageWord(*placed, address, *value)) return 0;
  walk.unreadable = address;
  return -UNW_EINVAL;
}

int AccessRegister(unw_addr_space_t, unw_regnum_t number, unw_word_t* value, int write, void* arg) {
  const auto& walk = *static_cast<const Walk*>(arg);
  if (write != 0) return -UNW_EREADONLYREG;
  if (number < 0 || static_cast<std::size_t>(number) >= walk.registers.value.size() ||
      (walk.registers.valid >> number & 1) == 0) {
    return -UNW_EBADREG;
  }
  *value = walk.registers.value[static_cast<std::size_t>(number)];
  return 0;
}

void RememberMade(Walk& walk, const PlacedImage& placed) {
  const ElfRange made = walk.modules->Made(placed.module);
  const std::uint64_t start = made.address.value + placed.bias;
  if (made.empty()) return;
  const auto known = std::ranges::find(*walk.made, start, &PlacedBytes::start);
  if (known != walk.made->end()) return;
  walk.made->push_back({start, made.bytes});
}

int FindProcInfo(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t* proc, int need_info,
                 void* arg) {
  auto& walk = *static_cast<Walk*>(arg);
  const PlacedImage* placed = FindPlaced(*walk.placed, ip);
  int result = -UNW_ENOINFO;
  const walk::ModuleCfi* cfi = nullptr;
  if (placed != nullptr) {
    cfi = walk.modules->For(placed->module, *placed->image);
    RememberMade(walk, *placed);
  }
  for (; cfi != nullptr && result < 0; cfi = cfi->next) {
    unw_dyn_info_t info{};
    info.format = UNW_INFO_FORMAT_REMOTE_TABLE;
    info.start_ip = placed->start;
    info.end_ip = placed->end;
    info.u.rti.segbase = cfi->table_base + placed->bias;
    info.u.rti.table_data = cfi->table_address + placed->bias;
    info.u.rti.table_len = cfi->table.size() / sizeof(unw_word_t);
    result = UNW_OBJ(dwarf_search_unwind_table)(space, ip, &info, proc, need_info, arg);
  }
  if (result < 0) walk.no_unwind_info = true;
  return result < 0 ? -UNW_ENOINFO : result;
}

void PutUnwindInfo(unw_addr_space_t, unw_proc_info_t*, void*) {}
int NoDynamicInfo(unw_addr_space_t, unw_word_t*, void*) { return -UNW_ENOINFO; }
int NoFloatRegister(unw_addr_space_t, unw_regnum_t, unw_fpreg_t*, int, void*) {
  return -UNW_EBADREG;
}
int NoResume(unw_addr_space_t, unw_cursor_t*, void*) { return -UNW_EINVAL; }
int NoName(unw_addr_space_t, unw_word_t, char*, std::size_t, unw_word_t*, void*) {
  return -UNW_ENOINFO;
}

struct AddressSpaceCloser {
  void operator()(unw_addr_space* space) const { unw_destroy_addr_space(space); }
};

StackEnd WhyFailed(const Walk& walk, int error) {
  if (walk.unreadable) return walk.stack.WhyUnreadable(*walk.unreadable);
  return error == -UNW_EBADREG ? StackEnd::kUnreadable : StackEnd::kNoUnwindInfo;
}

// GCC says nothing about registers that an epilogue has popped, so unwind information may place
// them below the stack pointer, where nothing was copied. They hold their values already.
void KeepRestored(unw_cursor_t& caller, Walk& walk) {
  for (const unw_regnum_t number : kCalleeSaved) {
    unw_save_loc_t location{};
    if (unw_get_save_loc(&caller, number, &location) != 0) continue;
    if (location.type != UNW_SLT_MEMORY || location.u.addr >= walk.stack.start()) continue;
    walk.restored[walk.restored_count++] = {location.u.addr,
                                            walk.registers.value[static_cast<std::size_t>(number)]};
  }
}

// One stack, from frame 0 on. Where code has no unwind information the caller is guessed, and
// libunwind starts again from there.
class StackWalk {
 public:
  StackWalk(unw_addr_space_t space, Walk& walk, walk::CodeMap& code, std::size_t max_frames,
            std::vector<UnwoundFrame>& frames)
      : space_(space), walk_(walk), regions_(code), max_frames_(max_frames), frames_(frames) {}

  StackEnd Run() {
    unw_cursor_t cursor;
    std::uint64_t address = walk_.registers.pc().value;
    auto kind = model::FrameKind::kInstruction;
    if (unw_init_remote(&cursor, space_, &walk_) != 0) {
      frames_.push_back(walk::FrameIn(regions_.Find(address), address, kind));
      return StackEnd::kUnreadable;
    }
    while (true) {
      const bool trampoline = Append(address, kind);
      if (end_) return *end_;
      const walk::BaseRegisters now = Base(cursor, address);
      frames_.back().sp = now.sp;
      walk_.no_unwind_info = false;
      walk_.unreadable.reset();
      const int step = unw_step(&cursor);
      kind = trampoline ? model::FrameKind::kInstruction : model::FrameKind::kReturn;
      unw_word_t next = 0;
      if (walk_.no_unwind_info) {
        const auto caller = Guess(now, trampoline);
        if (!caller) return *end_;
        if (!Restart(cursor, *caller, kind)) return StackEnd::kUnreadable;
        next = caller->pc;
      } else if (step < 0) {
        return WhyFailed(walk_, step);
      } else if (step == 0 || unw_get_reg(&cursor, UNW_REG_IP, &next) != 0) {
        return StackEnd::kComplete;
      } else if (frames_.size() == 1) {
        KeepRestored(cursor, walk_);
      }
      if (next == 0) return StackEnd::kComplete;
      address = next;
    }
  }

 private:
  // Adds the frame and says whether it is a signal trampoline: its address is where the handler
  // will go on, not where it was called from. Sets `end_` if the frame cannot be.
  bool Append(std::uint64_t address, model::FrameKind kind) {
    if (frames_.size() >= max_frames_) {
      end_ = StackEnd::kMaxDepth;
      return false;
    }
    const walk::CodeRegion* at = regions_.Find(address);
    const bool trampoline = at != nullptr && walk::IsSignalTrampoline(kHostArch, *at, address);
    if (trampoline) kind = model::FrameKind::kInstruction;
    const walk::CodeRegion* region =
        kind == model::FrameKind::kReturn ? regions_.Find(address - 1) : at;
    if (region == nullptr && !frames_.empty()) {
      end_ = StackEnd::kBadReturn;
      return false;
    }
    frames_.push_back(walk::FrameIn(region, address, kind));
    return trampoline;
  }

  walk::BaseRegisters Base(unw_cursor_t& cursor, std::uint64_t address) const {
    walk::BaseRegisters base{address, 0, 0, false};
    unw_word_t word = 0;
    if (unw_get_reg(&cursor, UNW_REG_SP, &word) == 0) base.sp = word;
    base.fp_known = unw_get_reg(&cursor, kFramePointer, &word) == 0;
    if (base.fp_known) base.fp = word;
    return base;
  }

  // Sets `end_` where there is nothing to guess.
  std::optional<walk::BaseRegisters> Guess(const walk::BaseRegisters& now, bool trampoline) {
    if (frames_.back().kind == model::FrameKind::kReturn &&
        walk::IsMadeUpReturn(kHostArch, regions_, now.pc)) {
      end_ = StackEnd::kComplete;
      return std::nullopt;
    }
    auto caller = trampoline ? walk::InterruptedBySignal(kHostArch, walk_.stack, now)
                             : walk::GuessCaller(kHostArch, walk_.stack, regions_, now);
    if (!caller) {
      const UnwoundFrame& last = frames_.back();
      const walk::CodeRegion* region = regions_.Find(now.pc);
      end_ = region != nullptr && walk::IsEntry(*region, last.file_address.value)
                 ? StackEnd::kComplete
                 : StackEnd::kNoUnwindInfo;
    }
    return caller;
  }

  bool Restart(unw_cursor_t& cursor, const walk::BaseRegisters& caller, model::FrameKind kind) {
    // A fresh cursor takes its address for an instruction that is to run, so it gets the call.
    const std::uint64_t back = kind == model::FrameKind::kReturn && caller.pc != 0 ? 1 : 0;
    walk_.registers = Registers{};
    const auto set = [this](unw_regnum_t number, std::uint64_t value) {
      walk_.registers.value[static_cast<std::size_t>(number)] = value;
      walk_.registers.valid |= std::uint64_t{1} << number;
    };
    set(static_cast<unw_regnum_t>(Host::kPc), caller.pc - back);
    set(static_cast<unw_regnum_t>(Host::kSp), caller.sp);
    if (caller.fp_known) set(kFramePointer, caller.fp);
    return unw_init_remote(&cursor, space_, &walk_) == 0;
  }

  unw_addr_space_t space_;
  Walk& walk_;
  walk::RegionMemo regions_;
  std::size_t max_frames_;
  std::vector<UnwoundFrame>& frames_;
  std::optional<StackEnd> end_;
};

}  // namespace

// The mappings of one process together with what libunwind remembers about them. libunwind keeps
// rules by runtime address, so a view serves one set of mappings only. Whose set it is cannot be
// told from an AddressSpace's address and generation, which a later process may repeat: the
// mappings themselves are compared. That costs a microsecond or two, a stack costs ten or more.
class LibunwindEngine::View {
 public:
  View(const model::AddressSpace& space, const ImageTable& images) : accessors_(MakeAccessors()) {
    for (const auto& [start, mapping] : space) {
      mappings_.push_back(mapping);
      const ElfImage* image = images.Image(mapping.module);
      known_images_.push_back(image);
      const auto bias = image == nullptr ? std::nullopt : BiasOf(mapping, *image);
      if (!bias) continue;
      const auto [low, high] = image->Extent();
      placed_.push_back({low.value + *bias, high.value + *bias, *bias, image, mapping.module});
    }
    std::ranges::sort(placed_, {}, &PlacedImage::start);
    space_.reset(unw_create_addr_space(&accessors_, 0));
    if (space_ == nullptr) return;
    unw_set_caching_policy(space_.get(), UNW_CACHE_GLOBAL);
    unw_set_cache_size(space_.get(), 4096, 0);
  }

  [[nodiscard]] bool Matches(const model::AddressSpace& space, const ImageTable& images) const {
    if (space.size() != mappings_.size()) return false;
    std::size_t i = 0;
    for (const auto& [start, mapping] : space) {
      if (mapping != mappings_[i] || images.Image(mapping.module) != known_images_[i]) return false;
      ++i;
    }
    return true;
  }

  [[nodiscard]] unw_addr_space_t space() const { return space_.get(); }
  [[nodiscard]] const std::vector<PlacedImage>& placed() const { return placed_; }
  [[nodiscard]] std::vector<PlacedBytes>& made() { return made_; }

 private:
  static unw_accessors_t MakeAccessors() {
    unw_accessors_t accessors{};
    accessors.find_proc_info = FindProcInfo;
    accessors.put_unwind_info = PutUnwindInfo;
    accessors.get_dyn_info_list_addr = NoDynamicInfo;
    accessors.access_mem = AccessMemory;
    accessors.access_reg = AccessRegister;
    accessors.access_fpreg = NoFloatRegister;
    accessors.resume = NoResume;
    accessors.get_proc_name = NoName;
    return accessors;
  }

  // Where the mapping puts the image. A mapping begins at a page, so its first bytes may belong to
  // the segment before the one that is meant.
  static std::optional<std::uint64_t> BiasOf(const model::Mapping& mapping, const ElfImage& image) {
    const model::FileOffset end = mapping.file_offset + (mapping.end - mapping.start);
    for (const ElfImage::Segment& segment : image.segments()) {
      if (!segment.executable || segment.offset >= end ||
          segment.offset + segment.file_size <= mapping.file_offset) {
        continue;
      }
      const std::uint64_t file_start = mapping.start.value - mapping.file_offset.value;
      return file_start + segment.offset.value - segment.address.value;
    }
    return std::nullopt;
  }

  std::vector<model::Mapping> mappings_;
  std::vector<const ElfImage*> known_images_;  // of mappings_, null where there was none
  std::vector<PlacedImage> placed_;
  std::vector<PlacedBytes> made_;
  unw_accessors_t accessors_;
  std::unique_ptr<unw_addr_space, AddressSpaceCloser> space_;
};

LibunwindEngine::LibunwindEngine(const ImageTable& images, ModuleCfiTable& modules)
    : images_(images), modules_(modules) {}
LibunwindEngine::~LibunwindEngine() = default;

LibunwindEngine::View* LibunwindEngine::ViewOf(const model::AddressSpace& space) {
  constexpr std::size_t kMostViews = 16;
  const auto matches = [&](const auto& view) { return view->Matches(space, images_); };
  const auto found = std::ranges::find_if(views_, matches);
  if (found != views_.end()) {
    std::rotate(found, found + 1, views_.end());
    return views_.back().get();
  }
  if (views_.size() == kMostViews) views_.erase(views_.begin());
  views_.push_back(std::make_unique<View>(space, images_));
  return views_.back().get();
}

StackEnd LibunwindEngine::Unwind(const StackInput& input, const model::AddressSpace& space,
                                 walk::CodeMap& code, std::size_t max_frames,
                                 std::vector<UnwoundFrame>& frames) {
  frames.clear();
  View* view = ViewOf(space);
  if (view->space() == nullptr) {
    walk::RegionMemo regions(code);
    const std::uint64_t pc = input.registers.pc().value;
    frames.push_back(walk::FrameIn(regions.Find(pc), pc, model::FrameKind::kInstruction));
    return StackEnd::kUnsupportedAbi;
  }
  Walk walk(modules_, view->placed(), view->made(), input);
  return StackWalk(view->space(), walk, code, std::max<std::size_t>(max_frames, 1), frames).Run();
}

}  // namespace prof::unwind
