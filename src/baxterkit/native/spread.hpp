// Work spread over threads, which Ctrl-C ends.
//
// The calling thread works too, without the GIL. Every 50 ms it asks Python for signals; a handler
// that raises (as that of Ctrl-C does) makes all threads stop at their next look at `stop`.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace baxterkit {

class Spread {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kEvery{50};

  // Runs share() on `threads` threads, this one among them; all of them have to return soon after
  // `stopped` says so. False with an exception set if a signal's handler raised.
  template <class Share>
  bool run(int threads, const Share& share) {
    caller_ = std::this_thread::get_id();
    due_ = Clock::now() + kEvery;
    state_ = PyEval_SaveThread();
    std::vector<std::thread> workers;
    std::atomic<int> running{0};
    std::mutex mutex;
    std::condition_variable ended;
    const auto work = [&] {
      share();
      const std::lock_guard<std::mutex> lock(mutex);
      --running;
      ended.notify_one();
    };
    try {
      workers.reserve(threads - 1);
      for (int t = 1; t < threads; ++t) {
        ++running;
        workers.emplace_back(work);
      }
    } catch (const std::exception&) {
      --running;  // The system has no thread or memory to spare: the others do the rest.
    }
    share();
    while (true) {
      std::unique_lock<std::mutex> lock(mutex);
      if (ended.wait_for(lock, kEvery, [&] { return running <= 0; })) break;
      lock.unlock();
      stopped();
    }
    for (std::thread& worker : workers) worker.join();
    PyEval_RestoreThread(state_);
    if (interrupted_ && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
      PyErr_SetString(PyExc_KeyboardInterrupt,
                      "stopped before the batch was done: there is no result, and an array given as "
                      "out may hold a part of it");
    }
    return !interrupted_;
  }

  // Whether to stop; cheap enough to ask every few microseconds.
  bool stopped() {
    if (stop_.load(std::memory_order_relaxed)) return true;
    if (std::this_thread::get_id() != caller_) return false;
    const Clock::time_point now = Clock::now();
    if (now < due_) return false;
    due_ = now + kEvery;
    PyEval_RestoreThread(state_);
    if (PyErr_CheckSignals() != 0) interrupted_ = stop_ = true;
    state_ = PyEval_SaveThread();
    return interrupted_;
  }

  void stop() { stop_ = true; }

 private:
  std::thread::id caller_;
  Clock::time_point due_;
  PyThreadState* state_ = nullptr;
  std::atomic<bool> stop_{false};
  bool interrupted_ = false;
};

}  // namespace baxterkit
