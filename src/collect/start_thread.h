// Threads whose start may fail as everything else may.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "prof/base/result.h"

namespace prof::collect {

// std::thread throws where the system has no thread left; that is an error value here.
template <class Function>
Status StartThread(std::thread& thread, Function function) {
  try {
    thread = std::thread(std::move(function));
  } catch (const std::system_error& error) {
    return FailErrno(error.code().value(), "starting a thread",
                     "ulimit -u raises the limit of threads");
  }
  return {};
}

}  // namespace prof::collect
