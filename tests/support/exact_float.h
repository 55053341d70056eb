// SPDX-License-Identifier: Apache-2.0
// IEEE 754 arithmetic the slow way: every finite value is a fixed-point number of thousands of
// bits, sums and products are exact, and there is one rounding at the end.
#ifndef SMRF_TESTS_SUPPORT_EXACT_FLOAT_H
#define SMRF_TESTS_SUPPORT_EXACT_FLOAT_H

#include <cstdint>
#include <vector>

namespace smrf_test
{

enum class rounding { nearest, down, up, zero };

struct float_format {
    int bits;      // of the whole
    int precision; // with the hidden bit
    int lowest;    // exponent of a subnormal's last bit
    int bias;
    uint64_t nan;

    int fraction() const
    {
        return precision - 1;
    }
    uint64_t sign() const
    {
        return uint64_t{1} << (bits - 1);
    }
    uint64_t infinity() const
    {
        return sign() - (uint64_t{1} << fraction());
    }
    bool is_nan(uint64_t x) const
    {
        return (x & ~sign()) > infinity();
    }
    bool is_infinite(uint64_t x) const
    {
        return (x & ~sign()) == infinity();
    }
    uint64_t mantissa(uint64_t x) const
    {
        uint64_t low = x & ((uint64_t{1} << fraction()) - 1);
        return (x & ~sign()) >> fraction() == 0 ? low : low | uint64_t{1} << fraction();
    }
    int exponent(uint64_t x) const // of the mantissa's last bit
    {
        int field = static_cast<int>((x & ~sign()) >> fraction());
        return lowest + (field == 0 ? 0 : field - 1);
    }
};

constexpr float_format half_format{16, 11, -24, 15, 0x7fff};
constexpr float_format single_format{32, 24, -149, 127, 0x7fffffff};
constexpr float_format double_format{64, 53, -1074, 1023, UINT64_C(0xfff8000000000000)};

class exact_number
{
    __extension__ typedef unsigned __int128 unsigned_wide;

  public:
    exact_number() : limbs_(count, 0) {}
    // mantissa * 2^exponent
    exact_number(bool negative, uint64_t mantissa, int exponent) : exact_number()
    {
        negative_ = negative;
        for (int k = 0; k < 64; k++) {
            if ((mantissa >> k & 1) != 0) {
                set(exponent + k - base);
            }
        }
    }
    static exact_number of(const float_format &f, uint64_t x)
    {
        return exact_number((x & f.sign()) != 0, f.mantissa(x), f.exponent(x));
    }
    static exact_number product(const float_format &f, uint64_t x, uint64_t y)
    {
        exact_number result;
        unsigned_wide m = static_cast<unsigned_wide>(f.mantissa(x)) * f.mantissa(y);
        int exponent = f.exponent(x) + f.exponent(y);
        for (int k = 0; k < 2 * f.precision; k++) {
            if ((m >> k & 1) != 0) {
                result.set(exponent + k - base);
            }
        }
        result.negative_ = ((x ^ y) & f.sign()) != 0;
        return result;
    }
    bool zero() const
    {
        for (uint32_t limb : limbs_) {
            if (limb != 0) {
                return false;
            }
        }
        return true;
    }
    bool negative() const
    {
        return negative_;
    }
    exact_number operator+(const exact_number &other) const
    {
        exact_number result = *this;
        if (negative_ == other.negative_) {
            result.add_magnitude(other);
        } else if (result.less(other)) {
            result = other;
            result.subtract_magnitude(*this);
        } else {
            result.subtract_magnitude(other);
        }
        return result;
    }
    // Bits of the rounded value; zero_sign is a zero's.
    uint64_t round(const float_format &f, rounding mode, bool zero_sign) const
    {
        int top = static_cast<int>(count) * 32 - 1;
        while (top >= 0 && limbs_[static_cast<unsigned>(top) / 32] == 0) {
            top -= 32;
        }
        while (top >= 0 && !bit(top)) {
            top--;
        }
        if (top < 0) {
            return zero_sign ? f.sign() : 0;
        }
        int last = top - (f.precision - 1);
        if (last < f.lowest - base) {
            last = f.lowest - base;
        }
        uint64_t kept = 0;
        for (int k = top; k >= last; k--) {
            kept = kept << 1 | (bit(k) ? 1 : 0);
        }
        bool guard = last > 0 && bit(last - 1), rest = false;
        for (int k = 0; k < last - 1 && !rest;) {
            bool whole = k % 32 == 0 && k + 32 <= last - 1;
            rest = whole ? limbs_[static_cast<unsigned>(k) / 32] != 0 : bit(k);
            k += whole ? 32 : 1;
        }
        bool up = mode == rounding::nearest ? guard && (rest || (kept & 1) != 0)
                  : mode == rounding::up    ? !negative_ && (guard || rest)
                  : mode == rounding::down  ? negative_ && (guard || rest)
                                            : false;
        kept += up ? 1 : 0;
        uint64_t field = static_cast<uint64_t>(last - (f.lowest - base));
        // A normal number's hidden bit adds one to the exponent field.
        uint64_t bits = kept + (field << f.fraction());
        if (bits >= f.infinity()) {
            bool to_infinity = mode == rounding::nearest || (mode == rounding::up && !negative_) ||
                               (mode == rounding::down && negative_);
            bits = to_infinity ? f.infinity() : f.infinity() - 1;
        }
        return bits | (negative_ ? f.sign() : 0);
    }

  private:
    static constexpr int base = -2208;
    static constexpr unsigned count = 138; // up to 2^2208

    bool bit(int k) const
    {
        return (limbs_[static_cast<unsigned>(k) / 32] >> (k % 32) & 1) != 0;
    }
    void set(int k)
    {
        limbs_[static_cast<unsigned>(k) / 32] |= uint32_t{1} << (k % 32);
    }
    bool less(const exact_number &other) const
    {
        for (unsigned k = count; k-- > 0;) {
            if (limbs_[k] != other.limbs_[k]) {
                return limbs_[k] < other.limbs_[k];
            }
        }
        return false;
    }
    void add_magnitude(const exact_number &other)
    {
        uint64_t carry = 0;
        for (unsigned k = 0; k < count; k++) {
            carry += static_cast<uint64_t>(limbs_[k]) + other.limbs_[k];
            limbs_[k] = static_cast<uint32_t>(carry);
            carry >>= 32;
        }
    }
    void subtract_magnitude(const exact_number &other)
    {
        int64_t borrow = 0;
        for (unsigned k = 0; k < count; k++) {
            borrow += static_cast<int64_t>(limbs_[k]) - static_cast<int64_t>(other.limbs_[k]);
            limbs_[k] = static_cast<uint32_t>(borrow);
            borrow >>= 32;
        }
    }

    std::vector<uint32_t> limbs_;
    bool negative_ = false;
};

// a * b + c, rounded once. An invalid operation gives the format's NaN.
inline uint64_t exact_fma(const float_format &f, uint64_t a, uint64_t b, uint64_t c, rounding mode)
{
    if (f.is_nan(a) || f.is_nan(b) || f.is_nan(c)) {
        return f.nan;
    }
    uint64_t sign = (a ^ b) & f.sign();
    if (f.is_infinite(a) || f.is_infinite(b)) {
        if (f.mantissa(a) == 0 || f.mantissa(b) == 0 ||
            (f.is_infinite(c) && (c & f.sign()) != sign)) {
            return f.nan;
        }
        return f.infinity() | sign;
    }
    if (f.is_infinite(c)) {
        return c;
    }
    exact_number product = exact_number::product(f, a, b), addend = exact_number::of(f, c);
    bool negative_zero = (sign != 0 && (c & f.sign()) != 0) ||
                         ((sign != 0) != ((c & f.sign()) != 0) && mode == rounding::down);
    return (product + addend).round(f, mode, negative_zero);
}

inline uint64_t exact_one(const float_format &f)
{
    return static_cast<uint64_t>(f.bias) << f.fraction();
}

inline uint64_t exact_add(const float_format &f, uint64_t a, uint64_t b, rounding mode)
{
    return exact_fma(f, a, exact_one(f), b, mode);
}

// The product with a zero of its own sign added keeps the sign of a zero product.
inline uint64_t exact_multiply(const float_format &f, uint64_t a, uint64_t b, rounding mode)
{
    return exact_fma(f, a, b, (a ^ b) & f.sign(), mode);
}

inline uint64_t exact_convert(const float_format &from, const float_format &to, uint64_t x,
                              rounding mode)
{
    bool negative = (x & from.sign()) != 0;
    if (from.is_nan(x)) {
        return to.nan;
    }
    if (from.is_infinite(x)) {
        return to.infinity() | (negative ? to.sign() : 0);
    }
    return exact_number::of(from, x).round(to, mode, negative);
}

} // namespace smrf_test

#endif
