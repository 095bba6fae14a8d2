// Feeds arbitrary bytes to the profile reader, as they are and with their checksums made right.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "store/format.h"

#include "prof/base/checksum.h"
#include "prof/store/reader.h"

namespace {

class NullSink final : public prof::model::RecordSink {
 public:
  prof::Status Append(const prof::model::Record&) override { return {}; }
};

void Replay(std::span<const std::byte> bytes) {
  prof::UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (!fd.valid() || ::write(fd.get(), bytes.data(), bytes.size()) < 0) std::abort();
  ::lseek(fd.get(), 0, SEEK_SET);
  auto reader = prof::store::Reader::FromFd(std::move(fd), "fuzz");
  if (!reader) return;
  NullSink sink;
  static_cast<void>((*reader)->Replay(sink));
}

void PutCrc(std::span<std::byte> bytes, std::size_t at, std::span<const std::byte> of) {
  const std::uint32_t crc = prof::Crc32c(of);
  std::memcpy(bytes.data() + at, &crc, sizeof crc);
}

// Random changes would only ever test the checksums, so the changed file gets new ones.
void RepairChecksums(std::span<std::byte> file) {
  using namespace prof::store;
  if (file.size() < kFileHeaderBytes) return;
  PutCrc(file, kFileHeaderBytes - 4, file.first(kFileHeaderBytes - 4));
  std::size_t at = kFileHeaderBytes;
  while (file.size() - at >= kBlockHeaderBytes) {
    const auto header = file.subspan(at, kBlockHeaderBytes);
    std::uint32_t stored = 0;
    std::memcpy(&stored, header.data() + 12, sizeof stored);
    const std::size_t rest = file.size() - at - kBlockHeaderBytes;
    if (stored > rest) return;
    PutCrc(header, 28, file.subspan(at + kBlockHeaderBytes, stored));
    PutCrc(header, 32, header.first(kBlockHeaderBytes - 4));
    at += kBlockHeaderBytes + stored;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  Replay(bytes);
  std::vector<std::byte> repaired(bytes.begin(), bytes.end());
  RepairChecksums(repaired);
  Replay(repaired);
  return 0;
}
