// Debug files from a server: only when asked, within the deadline, and a miss is asked for once.
#include "symbols/debuginfod.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_dir.h"
#include "symbols/elf_file.h"

#include "prof/base/unique_fd.h"

namespace prof::symbols {
namespace {

namespace fs = std::filesystem;
using model::SymbolStatus;

const char* const kRoot = PROF_TEST_DATA "/symbols/root";

// An HTTP server on the loopback that has one file under any name, or none, or never answers.
class Server {
 public:
  enum class Manner { kServes, kHasNothing, kNeverAnswers };

  Server(Manner manner, std::string file) : manner_(manner), file_(std::move(file)) {
    listener_.Reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), any, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 8), 0);
    EXPECT_EQ(::getsockname(listener_.get(), any, &size), 0);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { Run(); });
  }
  ~Server() {
    stop_ = true;
    thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] int requests() const { return requests_; }

 private:
  void Run() {
    std::vector<UniqueFd> kept;
    while (!stop_) {
      pollfd poll{listener_.get(), POLLIN, 0};
      if (::poll(&poll, 1, 20) <= 0) continue;
      UniqueFd client(::accept(listener_.get(), nullptr, nullptr));
      char request[4096];
      if (::recv(client.get(), request, sizeof(request), 0) <= 0) continue;
      ++requests_;
      if (manner_ == Manner::kNeverAnswers) {
        kept.push_back(std::move(client));
        continue;
      }
      const bool has = manner_ == Manner::kServes;
      const std::string body = has ? file_ : "";
      const std::string answer = std::string("HTTP/1.1 ") + (has ? "200 OK" : "404 Not Found") +
                                 "\r\nContent-Length: " + std::to_string(body.size()) +
                                 "\r\nConnection: close\r\n\r\n" + body;
      EXPECT_EQ(::send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(answer.size()));
    }
  }

  Manner manner_;
  std::string file_;
  UniqueFd listener_;
  std::string url_;
  std::atomic<int> requests_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class DebuginfodTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("DEBUGINFOD_CACHE_PATH", dir_.File("cache").c_str(), 1);
    fs::create_directory(dir_.File("lib"));
    fs::copy(std::string(kRoot) + "/lib/below.so", dir_.File("lib/below.so"));
  }
  void TearDown() override {
    ::unsetenv("DEBUGINFOD_URLS");
    ::unsetenv("DEBUGINFOD_CACHE_PATH");
  }

  // Starts a server that has the debug file of lib/below.so.
  std::unique_ptr<Server> Start(Server::Manner manner) {
    std::ifstream file(std::string(kRoot) + "/usr/lib/debug/lib/below.so.debug", std::ios::binary);
    auto server =
        std::make_unique<Server>(manner, std::string(std::istreambuf_iterator<char>(file), {}));
    ::setenv("DEBUGINFOD_URLS", server->url().c_str(), 1);
    return server;
  }
  static bool Installed() {
    const Status status = CheckDebuginfod();
    return status || status.error().kind != ErrorKind::kUnsupported;
  }

  [[nodiscard]] SymbolizerOptions Asking(double deadline_s = 30) const {
    SymbolizerOptions options;
    options.fs = HostFs(dir_.path().string());
    options.debuginfod = DebuginfodOptions{.deadline_s = deadline_s, .progress = {}};
    return options;
  }
  [[nodiscard]] static model::ModuleSymbols Resolve(Symbolizer& symbolizer, bool ask = true) {
    std::vector<model::FileAddr> wanted;
    for (std::uint64_t a = 0x380; a < 0x600; a += 4) wanted.push_back({a});
    return symbolizer.Resolve({.kind = model::ModuleKind::kElf, .path = "/lib/below.so"}, wanted,
                              {.ask_server = ask});
  }
  [[nodiscard]] static bool HasLines(const model::ModuleSymbols& symbols) {
    for (const auto& address : symbols.addresses) {
      for (const auto& frame : address.frames) {
        if (frame.line != 0) return true;
      }
    }
    return false;
  }

  test::TempDir dir_;
};

TEST_F(DebuginfodTest, WithoutTheOptionNothingIsAskedWhateverTheEnvironmentSays) {
  const auto server = Start(Server::Manner::kServes);
  SymbolizerOptions options = Asking();
  options.debuginfod.reset();
  Symbolizer symbolizer(std::move(options));
  EXPECT_FALSE(HasLines(Resolve(symbolizer)));
  EXPECT_FALSE(symbolizer.AsksServers());
  EXPECT_EQ(server->requests(), 0);
}

TEST_F(DebuginfodTest, FetchesTheDebugFileOfAModuleThatIsWorthIt) {
  const auto server = Start(Server::Manner::kServes);
  if (!Installed()) GTEST_SKIP() << "libdebuginfod is not installed";
  Symbolizer symbolizer(Asking());
  EXPECT_FALSE(HasLines(Resolve(symbolizer, false)));
  EXPECT_EQ(server->requests(), 0);
  const auto symbols = Resolve(symbolizer);
  EXPECT_TRUE(HasLines(symbols)) << symbols.detail;
  EXPECT_EQ(server->requests(), 1);
  EXPECT_EQ(symbolizer.debuginfod_counts().found, 1U);
}

TEST_F(DebuginfodTest, WhatNoServerHasIsAskedForOnceAlsoByTheNextRun) {
  const auto server = Start(Server::Manner::kHasNothing);
  if (!Installed()) GTEST_SKIP() << "libdebuginfod is not installed";
  for (int run = 0; run < 2; ++run) {
    Symbolizer symbolizer(Asking());
    for (int i = 0; i < 2; ++i) {
      const auto symbols = Resolve(symbolizer);
      EXPECT_NE(symbols.detail.find("debuginfod: no server has it"), std::string::npos)
          << symbols.detail;
    }
    EXPECT_EQ(symbolizer.debuginfod_counts().missing, 1U);
  }
  EXPECT_EQ(server->requests(), 1);
}

TEST_F(DebuginfodTest, TheDeadlineEndsASlowServerAndTheNextRunAsksAgain) {
  if (!Installed()) GTEST_SKIP() << "libdebuginfod is not installed";
  {
    const auto server = Start(Server::Manner::kNeverAnswers);
    Symbolizer symbolizer(Asking(0.2));
    for (int i = 0; i < 2; ++i) {  // the second is not even asked for
      const auto symbols = Resolve(symbolizer);
      EXPECT_NE(symbols.detail.find("deadline"), std::string::npos) << symbols.detail;
    }
    EXPECT_EQ(server->requests(), 1);
    EXPECT_EQ(symbolizer.debuginfod_counts().failed, 2U);
  }
  const auto server = Start(Server::Manner::kServes);
  Symbolizer symbolizer(Asking());
  EXPECT_TRUE(HasLines(Resolve(symbolizer)));
}

TEST_F(DebuginfodTest, AModuleWhoseFileIsGoneIsNamedByItsDebugFile) {
  const auto server = Start(Server::Manner::kServes);
  if (!Installed()) GTEST_SKIP() << "libdebuginfod is not installed";
  Symbolizer symbolizer(Asking());
  const auto file = ElfFile::Open(dir_.File("lib/below.so"));
  model::Module module{
      .kind = model::ModuleKind::kElf, .path = "/gone/below.so", .build_id = (*file)->build_id()};
  const model::FileAddr wanted{0x428};
  const auto symbols = symbolizer.Resolve(module, std::span(&wanted, 1), {.ask_server = true});
  EXPECT_EQ(symbols.status, SymbolStatus::kOk) << symbols.detail;
}

TEST_F(DebuginfodTest, SaysThatNoServerIsNamed) {
  ::unsetenv("DEBUGINFOD_URLS");
  const Status status = CheckDebuginfod();
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(status.error().message, "--debuginfod: DEBUGINFOD_URLS names no server");
}

}  // namespace
}  // namespace prof::symbols
