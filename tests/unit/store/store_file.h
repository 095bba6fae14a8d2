// Writing records to a file and reading them back, in one call each.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/temp_dir.h"
#include "support/vector_sink.h"

#include "prof/store/reader.h"
#include "prof/store/writer.h"

namespace prof::store::test {

inline UniqueFd Create(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
}

inline std::string ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Replayed {
  std::vector<model::Record> records;
  ReadSummary summary;
  Error error;
  bool ok = false;
};

inline Replayed ReplayFrom(Result<std::unique_ptr<Reader>> reader) {
  Replayed result;
  if (!reader) {
    result.error = reader.error();
    return result;
  }
  prof::test::VectorSink sink;
  auto summary = (*reader)->Replay(sink);
  result.records = std::move(sink.records);
  if (!summary) {
    result.error = summary.error();
    return result;
  }
  result.summary = *summary;
  result.ok = true;
  return result;
}

class StoreFile {
 public:
  [[nodiscard]] std::string path() const { return dir_.File("prof.data"); }

  void Write(const std::vector<model::Record>& records, const WriterOptions& options = {}) {
    auto writer = Writer::Create(Create(path()), "prof.data", options);
    ASSERT_TRUE(writer);
    for (const model::Record& record : records) ASSERT_TRUE((*writer)->Append(record));
    ASSERT_TRUE((*writer)->Finish());
    EXPECT_EQ((*writer)->bytes_written(), bytes().size());
  }
  [[nodiscard]] std::string bytes() const { return ReadBytes(path()); }
  [[nodiscard]] Replayed Replay() const { return ReplayFrom(Reader::Open(path())); }
  // Replays other bytes under the file's name; from memory, as the tests of damage do it thousands
  // of times.
  [[nodiscard]] Replayed Replay(const std::string& bytes) const {
    UniqueFd fd(::memfd_create("profile", MFD_CLOEXEC));
    EXPECT_EQ(::write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    EXPECT_EQ(::lseek(fd.get(), 0, SEEK_SET), 0);
    return ReplayFrom(Reader::FromFd(std::move(fd), path()));
  }

 private:
  prof::test::TempDir dir_;
};

}  // namespace prof::store::test
