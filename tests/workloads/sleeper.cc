// Sleeps and uses no CPU time. usage: sleeper [MILLISECONDS=1000]
#include <chrono>
#include <cstdlib>
#include <thread>

int main(int argc, char** argv) {
  std::this_thread::sleep_for(std::chrono::milliseconds(argc > 1 ? std::atoi(argv[1]) : 1000));
}
