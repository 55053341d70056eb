// SPDX-License-Identifier: Apache-2.0
// In C++ because a broken rule of the model is an exception, which has to reach the caller from
// whatever thread it came about in.
#include "crew.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

namespace
{

// Looks before a thread gives its processor away: some microseconds.
constexpr unsigned patience = 4000;

using lock = std::unique_lock<std::mutex>;

void pause()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

} // namespace

// The mutex guards everything; `calls_` and what is left are also looked at without it, by who waits.
struct smrf_crew {
    explicit smrf_crew(unsigned helpers)
    {
        try {
            for (unsigned i = 0; i < helpers; i++) {
                helpers_.emplace_back([this] { help(); });
            }
        } catch (...) {
            dismiss();
            throw;
        }
    }
    ~smrf_crew()
    {
        dismiss();
    }
    smrf_crew(const smrf_crew &) = delete;
    smrf_crew &operator=(const smrf_crew &) = delete;

    void begin(void (*work)(void *), void *ctx)
    {
        const lock held(mutex_);
        single_ = {work, ctx};
        single_left_ = 1;
        call();
    }
    void end()
    {
        lock held(mutex_);
        do_single(held);
        await_end(held, single_left_);
    }
    void share(uint32_t n, void (*work)(void *, uint32_t), void *ctx)
    {
        lock held(mutex_);
        shared_ = {work, ctx, 0, n};
        shared_left_ = n;
        if (n > 1) {
            call();
        }
        while (do_shared(held)) {
        }
        await_end(held, shared_left_);
    }

  private:
    // --- one piece at a time; the mutex is held before and after, not meanwhile -------------------

    template <typename Work> void do_unlocked(lock &held, const Work &work)
    {
        std::exception_ptr thrown;
        held.unlock();
        try {
            work();
        } catch (...) {
            thrown = std::current_exception();
        }
        held.lock();
        thrown_ = thrown_ ? thrown_ : thrown;
    }

    // False: there is none left to begin.
    bool do_shared(lock &held)
    {
        if (shared_.next == shared_.n) {
            return false;
        }
        const auto piece = shared_;
        shared_.next++;
        do_unlocked(held, [&] { piece.work(piece.ctx, piece.next); });
        finished(shared_left_);
        return true;
    }

    bool do_single(lock &held)
    {
        const auto piece = single_;
        if (piece.work == nullptr) {
            return false;
        }
        single_.work = nullptr;
        do_unlocked(held, [&] { piece.work(piece.ctx); });
        finished(single_left_);
        return true;
    }

    void finished(std::atomic<uint32_t> &left)
    {
        if (--left == 0 && caller_sleeps_) {
            done_.notify_one();
        }
    }

    // --- helpers ------------------------------------------------------------------------------------

    void help()
    {
        lock held(mutex_);
        while (!leave_) {
            const unsigned seen = calls_;
            while (do_single(held) || do_shared(held)) {
            }
            if (calls_ == seen && !leave_) {
                await_call(held, seen);
            }
        }
    }

    // Until there has been a call after the `seen`th.
    void await_call(lock &held, unsigned seen)
    {
        held.unlock();
        for (unsigned i = 0; i < patience && calls_ == seen; i++) {
            pause();
        }
        held.lock();
        sleepers_++;
        call_.wait(held, [&] { return calls_ != seen; });
        sleepers_--;
    }

    void call()
    {
        calls_++;
        if (sleepers_ != 0) {
            call_.notify_all();
        }
    }

    void dismiss()
    {
        {
            const lock held(mutex_);
            leave_ = true;
            call();
        }
        for (std::thread &helper : helpers_) {
            helper.join();
        }
        helpers_.clear();
    }

    // --- the caller ---------------------------------------------------------------------------------

    // What a piece threw, the first if there are several, is thrown here.
    void await_end(lock &held, const std::atomic<uint32_t> &left)
    {
        held.unlock();
        for (unsigned i = 0; i < patience && left != 0; i++) {
            pause();
        }
        held.lock();
        caller_sleeps_ = true;
        done_.wait(held, [&] { return left == 0; });
        caller_sleeps_ = false;
        if (thrown_) {
            std::exception_ptr thrown;
            std::swap(thrown, thrown_);
            std::rethrow_exception(thrown);
        }
    }

    struct single_piece {
        void (*work)(void *); // null: none, or somebody has it
        void *ctx;
    };
    struct shared_pieces {
        void (*work)(void *, uint32_t);
        void *ctx;
        uint32_t next, n;
    };

    std::mutex mutex_;
    std::condition_variable call_, done_;
    std::atomic<unsigned> calls_{0}; // to work, so far
    unsigned sleepers_ = 0;          // that must be woken for a call
    bool caller_sleeps_ = false, leave_ = false;
    shared_pieces shared_{};
    single_piece single_{};
    std::atomic<uint32_t> shared_left_{0}, single_left_{0}; // not done
    std::exception_ptr thrown_;
    std::vector<std::thread> helpers_;
};

extern "C" {

smrf_crew *smrf_crew_create(unsigned threads)
{
    try {
        return new smrf_crew(threads > 1 ? threads - 1 : 0);
    } catch (const std::exception &) {
        return nullptr;
    }
}

void smrf_crew_destroy(smrf_crew *crew)
{
    delete crew;
}

void smrf_crew_begin(smrf_crew *crew, void (*work)(void *ctx), void *ctx)
{
    crew->begin(work, ctx);
}

void smrf_crew_end(smrf_crew *crew)
{
    crew->end();
}

void smrf_crew_share(smrf_crew *crew, uint32_t n, void (*work)(void *ctx, uint32_t i), void *ctx)
{
    crew->share(n, work, ctx);
}

void smrf_crew_window(smrf_crew *crew, uint32_t n, void (*run)(void *ctx, uint32_t i),
                      void (*memory)(void *ctx), void *ctx)
{
    const bool share = n >= SMRF_CREW_WORTH_SHARING;
    if (memory != nullptr && share) {
        crew->begin(memory, ctx);
    } else if (memory != nullptr) {
        memory(ctx);
    }
    if (share) {
        crew->share(n, run, ctx);
    }
    for (uint32_t i = 0; !share && i < n; i++) {
        run(ctx, i);
    }
}

unsigned smrf_crew_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}
}
