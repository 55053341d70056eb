// SPDX-License-Identifier: Apache-2.0
#include "traffic.cuh"

FUNCTION int least(int a, int b)
{
    return a < b ? a : b;
}

FUNCTION int pace(int speed, int top, int gap)
{
    int wish = speed < top ? speed + 1 : top;
    return least(wish, gap);
}

METHOD int Car::next(int gap, int draw) const
{
    int v = pace(speed, 6, gap);
    return v > 0 && draw < 48 ? v - 1 : v;
}

METHOD int Truck::next(int gap, int draw) const
{
    int v = pace(speed, 3, gap > 0 ? gap - 1 : 0);
    return v > 0 && draw < 96 ? v - 1 : v;
}

#ifdef INLINED
METHOD int Vehicle::next(int gap, int draw) const
{
    if (kind == CAR)
        return static_cast<const Car *>(this)->next(gap, draw);
    return static_cast<const Truck *>(this)->next(gap, draw);
}
#else
METHOD int Vehicle::next(int, int) const
{
    return 0;
}
#endif
