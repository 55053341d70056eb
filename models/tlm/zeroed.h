// SPDX-License-Identifier: Apache-2.0
// Zeroed memory (models/common/smrf_zeroed.h, smrf_slab.h) that modules own.
#ifndef SMRF_TLM_ZEROED_H
#define SMRF_TLM_ZEROED_H

#include "models/common/smrf_slab.h"
#include "models/common/smrf_zeroed.h"

#include <memory>
#include <new>

namespace smrf
{

struct zeroed_free {
    void operator()(void *p) const
    {
        smrf_zeroed_free(p);
    }
};

// Of a plain C type, or an array of it.
template <class T> using zeroed_ptr = std::unique_ptr<T, zeroed_free>;

// Throws std::bad_alloc.
inline void *allocate_zeroed(size_t bytes)
{
    void *p = smrf_zeroed(bytes);
    if (p == nullptr) {
        throw std::bad_alloc();
    }
    return p;
}

template <class T> zeroed_ptr<T> make_zeroed()
{
    return zeroed_ptr<T>(static_cast<T *>(allocate_zeroed(sizeof(T))));
}

template <class T> zeroed_ptr<T[]> make_zeroed_array(size_t count)
{
    return zeroed_ptr<T[]>(static_cast<T *>(allocate_zeroed(count * sizeof(T))));
}

// What cores use all the time, side by side on huge pages.
class slab
{
  public:
    slab() = default;
    ~slab()
    {
        smrf_slab_free(&slab_);
    }
    slab(const slab &) = delete;
    slab &operator=(const slab &) = delete;

    // Zeroed; stays as long as the slab. Throws std::bad_alloc.
    template <class T> T *take(size_t bytes)
    {
        void *p = smrf_slab_take(&slab_, bytes);
        if (p == nullptr) {
            throw std::bad_alloc();
        }
        return static_cast<T *>(p);
    }

  private:
    smrf_slab slab_{};
};

// The module's core: one that the builder of the blocks has initialised, or the module's own.
template <class T> class carried
{
  public:
    explicit carried(T *brought)
        : own_(brought != nullptr ? nullptr : static_cast<T *>(allocate_zeroed(sizeof(T)))),
          core_(brought != nullptr ? brought : own_.get())
    {
    }

    bool is_own() const
    {
        return own_ != nullptr;
    }
    T *get() const
    {
        return core_;
    }
    T *operator->() const
    {
        return core_;
    }
    T &operator*() const
    {
        return *core_;
    }

  private:
    const zeroed_ptr<T> own_; // large tables stay untouched until they are used
    T *const core_;
};

} // namespace smrf

#endif
