// Writes jitdump files for tests.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prof/base/byte_writer.h"
#include "prof/base/unique_fd.h"

namespace prof::symbols::test {

struct JitLine {
  std::uint64_t address = 0;
  std::uint32_t line = 0;
  std::string_view file;
};

class JitDumpData {
 public:
  explicit JitDumpData(std::uint32_t pid = 42, std::uint32_t machine = 62,
                       std::uint32_t version = 1) {
    for (const std::uint32_t word : {0x4a695444U, version, 40U, machine, 0xdeadbeefU, pid}) {
      out_.U32(word);
    }
    out_.U64(1'000);
    out_.U64(0);
  }

  JitDumpData& Load(std::uint64_t start, std::string_view name,
                    const std::vector<std::uint8_t>& code, std::uint64_t index = 0) {
    Prefix(0, static_cast<std::uint32_t>(56 + name.size() + 1 + code.size()));
    out_.U32(42);
    out_.U32(42);
    for (const std::uint64_t word : {start, start, std::uint64_t{code.size()}, index}) {
      out_.U64(word);
    }
    Text(name);
    out_.Bytes(std::as_bytes(std::span(code)));
    return *this;
  }
  JitDumpData& Move(std::uint64_t from, std::uint64_t to, std::uint64_t size, std::uint64_t index) {
    Prefix(1, 64);
    out_.U32(42);
    out_.U32(42);
    for (const std::uint64_t word : {to, from, to, size, index}) out_.U64(word);
    return *this;
  }
  JitDumpData& Debug(std::uint64_t start, const std::vector<JitLine>& lines) {
    std::size_t bytes = 32;
    for (const JitLine& line : lines) bytes += 17 + line.file.size();
    Prefix(2, static_cast<std::uint32_t>(bytes));
    out_.U64(start);
    out_.U64(lines.size());
    for (const JitLine& line : lines) {
      out_.U64(line.address);
      out_.U32(line.line);
      out_.U32(7);
      Text(line.file);
    }
    return *this;
  }
  JitDumpData& Other(std::uint32_t id, std::uint32_t body_bytes) {
    Prefix(id, 16 + body_bytes);
    for (std::uint32_t i = 0; i < body_bytes; ++i) out_.U8(0xcc);
    return *this;
  }
  // The time of records that follow.
  JitDumpData& At(std::uint64_t time_ns) {
    time_ns_ = time_ns;
    return *this;
  }

  [[nodiscard]] std::string bytes() const {
    return {reinterpret_cast<const char*>(out_.bytes().data()), out_.size()};
  }

 private:
  void Prefix(std::uint32_t id, std::uint32_t bytes) {
    out_.U32(id);
    out_.U32(bytes);
    out_.U64(++time_ns_);
  }
  void Text(std::string_view text) {
    out_.Bytes(std::as_bytes(std::span(text)));
    out_.U8(0);
  }

  ByteWriter out_;
  std::uint64_t time_ns_ = 1'000;
};

// The bytes as an open file; invalid when this system gives none.
inline UniqueFd OpenBytes(std::string_view bytes) {
  UniqueFd fd(::memfd_create("jitdump", MFD_CLOEXEC));
  if (fd.valid() &&
      ::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    return {};
  }
  return fd;
}

}  // namespace prof::symbols::test
