// SPDX-License-Identifier: Apache-2.0
// In C++ because a broken rule of the model is an exception, which has to reach the caller from
// any thread.
#include "crew.h"

#include <algorithm>
#include <array>
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

// The mutex guards everything; `calls_` and what is left are also looked at without it, by who
// waits.
struct smrf_crew {
    explicit smrf_crew(unsigned helpers) : parts_(helpers + 1)
    {
        try {
            for (unsigned i = 1; i <= helpers; i++) {
                helpers_.emplace_back([this, i] { help(i); });
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

    void begin(smrf_crew_place place, void (*work)(void *), void *ctx)
    {
        const lock held(mutex_);
        single_[place].work = work;
        single_[place].ctx = ctx;
        single_[place].state.left = 1;
        call();
    }
    bool busy(smrf_crew_place place) const
    {
        return single_[place].state.left != 0;
    }
    void end(smrf_crew_place place)
    {
        lock held(mutex_);
        do_single(held, single_[place]);
        await_end(held, single_[place].state);
    }
    void share(uint32_t n, void (*work)(void *, uint32_t), void *ctx)
    {
        lock held(mutex_);
        shared_.work = work;
        shared_.ctx = ctx;
        shared_.state.left = n;
        const auto members = static_cast<uint32_t>(parts_.size());
        for (uint32_t i = 0; i < members; i++) {
            parts_[i] = {static_cast<uint32_t>(uint64_t{n} * i / members),
                         static_cast<uint32_t>(uint64_t{n} * (i + 1) / members)};
        }
        if (n > 1) {
            call();
        }
        while (do_shared(held, 0)) {
        }
        await_end(held, shared_.state);
    }

  private:
    // --- one piece at a time; the mutex is held before and after, not meanwhile ------------------

    struct progress {
        std::atomic<uint32_t> left{0}; // pieces that have not been done
        std::exception_ptr thrown;     // by the first of those that threw
    };

    struct single_piece {
        void (*work)(void *) = nullptr; // null: none, or a thread has taken it
        void *ctx = nullptr;
        progress state;
    };

    struct shared_pieces {
        void (*work)(void *, uint32_t) = nullptr;
        void *ctx = nullptr;
        progress state;
    };

    template <typename Work> void do_unlocked(lock &held, progress &state, const Work &work)
    {
        std::exception_ptr thrown;
        held.unlock();
        try {
            work();
        } catch (...) {
            thrown = std::current_exception();
        }
        held.lock();
        state.thrown = state.thrown ? state.thrown : thrown;
        if (--state.left == 0) {
            waiting_.wake();
        }
    }

    // Each thread has a share of the pieces, about the same one in every window, so that it stays
    // in its processor's caches. A thread that has finished helps the one with the most left, from
    // the other end.
    struct part {
        uint32_t next, end;
        uint32_t left() const
        {
            return end - next;
        }
    };

    // False: there is none left to begin.
    bool do_shared(lock &held, unsigned member)
    {
        part *from = &parts_[member];
        if (from->left() == 0) {
            from =
                &*std::max_element(parts_.begin(), parts_.end(), [](const part &a, const part &b) {
                    return a.left() < b.left();
                });
        }
        if (from->left() == 0) {
            return false;
        }
        const uint32_t i = from == &parts_[member] ? from->next++ : --from->end;
        const auto work = shared_.work;
        void *const ctx = shared_.ctx;
        do_unlocked(held, shared_.state, [=] { work(ctx, i); });
        return true;
    }

    bool do_single(lock &held, single_piece &piece)
    {
        const auto work = piece.work;
        void *const ctx = piece.ctx;
        if (work == nullptr) {
            return false;
        }
        piece.work = nullptr;
        do_unlocked(held, piece.state, [=] { work(ctx); });
        return true;
    }

    bool do_any_single(lock &held)
    {
        return std::any_of(single_.begin(), single_.end(),
                           [&](single_piece &piece) { return do_single(held, piece); });
    }

    // --- helpers ---------------------------------------------------------------------------------

    void help(unsigned member)
    {
        lock held(mutex_);
        while (!leave_) {
            const unsigned seen = calls_;
            while (do_any_single(held) || do_shared(held, member)) {
            }
            if (calls_ == seen && !leave_) {
                await(held, idle_, [&] { return calls_ != seen; });
            }
        }
    }

    void call()
    {
        calls_++;
        idle_.wake();
        waiting_.wake();
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

    // --- who waits -------------------------------------------------------------------------------

    struct sleepers {
        std::condition_variable woken;
        unsigned number = 0;
        void wake()
        {
            if (number != 0) {
                woken.notify_all();
            }
        }
    };

    // Until it arrives, which can be seen without the mutex, too.
    template <typename Come> void await(lock &held, sleepers &among, const Come &come)
    {
        held.unlock();
        for (unsigned i = 0; i < patience && !come(); i++) {
            pause();
        }
        held.lock();
        among.number++;
        among.woken.wait(held, come);
        among.number--;
    }

    // What a piece of them threw, the first if there are several, is thrown here.
    void await_end(lock &held, progress &state)
    {
        while (state.left != 0) {
            const unsigned seen = calls_;
            if (!do_single(held, single_[SMRF_CREW_FILE])) {
                await(held, waiting_, [&] { return state.left == 0 || calls_ != seen; });
            }
        }
        if (state.thrown) {
            std::exception_ptr thrown;
            std::swap(thrown, state.thrown);
            std::rethrow_exception(thrown);
        }
    }

    std::mutex mutex_;
    sleepers idle_, waiting_;        // helpers for a call; anybody for an end, or for a call
    std::atomic<unsigned> calls_{0}; // to work, so far
    bool leave_ = false;
    shared_pieces shared_;
    std::vector<part> parts_; // of them, not begun; the caller's first
    std::array<single_piece, SMRF_CREW_PLACES> single_;
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

void smrf_crew_begin(smrf_crew *crew, smrf_crew_place place, void (*work)(void *ctx), void *ctx)
{
    crew->begin(place, work, ctx);
}

bool smrf_crew_busy(const smrf_crew *crew, smrf_crew_place place)
{
    return crew->busy(place);
}

void smrf_crew_end(smrf_crew *crew, smrf_crew_place place)
{
    crew->end(place);
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
        crew->begin(SMRF_CREW_MEMORY, memory, ctx);
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
