// Interns strings and moves new ones through sections.
#include "store/string_table.h"

#include <algorithm>

#include "store/format.h"
#include "store/table.h"

#include "prof/base/byte_reader.h"

namespace prof::store {

std::string_view CutText(std::string_view text) {
  if (text.size() <= kMaxStringBytes) return text;
  constexpr std::size_t kLongestUtf8 = 4;
  std::size_t size = kMaxStringBytes;
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
  };
  while (size > kMaxStringBytes - kLongestUtf8 && continues(size)) --size;
  return text.substr(0, continues(size) ? kMaxStringBytes : size);
}

std::uint32_t StringInterner::Id(std::string_view text) {
  if (text.empty()) return 0;
  text = CutText(text);
  referenced_bytes_ += text.size();
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(ids_.size() + 1);
  const auto entry = ids_.emplace(std::string(text), id).first;
  pending_.push_back(entry->first);
  pending_bytes_ += text.size() + 2;
  return id;
}

void StringInterner::EncodePending(ByteWriter& out) {
  referenced_bytes_ = 0;
  if (pending_.empty()) return;
  ByteWriter content;
  content.Varint(ids_.size() + 1 - pending_.size());
  content.Varint(pending_.size());
  ByteWriter text;
  std::string_view previous;
  for (const std::string_view string : pending_) {
    const auto differ = std::ranges::mismatch(previous.substr(0, kMaxSharedPrefixBytes), string);
    const auto shared = static_cast<std::size_t>(differ.in1 - previous.begin());
    content.Varint(shared);
    content.Varint(string.size() - shared);
    text.Bytes(std::as_bytes(std::span(string).subspan(shared)));
    previous = string;
  }
  content.Bytes(text.bytes());
  WriteSection(Section::kStrings, content.bytes(), out);
  pending_.clear();
  pending_bytes_ = 0;
}

void StringInterner::Clear() {
  ids_.clear();
  pending_.clear();
  pending_bytes_ = 0;
}

bool StringList::Decode(std::span<const std::byte> content) {
  text_budget_ = kMaxBlockTextBytes;
  if (content.empty()) return true;
  ByteReader in(content);
  const std::uint64_t first = in.Varint();
  const std::uint64_t count = in.Varint();
  if (!in.ok() || first > 0xffff'ffffU || count > in.remaining() / 2) return false;
  ByteReader lengths = in;
  for (std::uint64_t i = 0; i < 2 * count && in.ok(); ++i) in.Varint();
  std::string_view previous;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t shared = lengths.Varint();
    const std::uint64_t own = lengths.Varint();
    if (shared > std::min(previous.size(), kMaxSharedPrefixBytes)) return false;
    if (own > kMaxStringBytes - shared) return false;
    // What shared prefixes expand to counts, or a small block could ask for any amount of memory.
    bytes_ += shared + own + sizeof(std::string);
    const auto bytes = in.Bytes(own);
    if (!in.ok() || bytes_ > kMaxEpochStringBytes || !ids_.Define(first + i)) return false;
    std::string text(previous.substr(0, shared));
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    strings_.push_back(std::move(text));
    previous = strings_.back();
  }
  return in.remaining() == 0;
}

const std::string* StringList::Find(std::uint64_t id) {
  if (id == 0) return &empty_;
  const auto index = ids_.Find(id);
  if (!index) return nullptr;
  const std::string& text = strings_[*index - 1];
  if (text.size() > text_budget_) return nullptr;
  text_budget_ -= text.size();
  return &text;
}

void StringList::Clear() {
  strings_.clear();
  ids_ = IdMap{1, 1};
  bytes_ = 0;
}

}  // namespace prof::store
