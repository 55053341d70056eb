// SPDX-License-Identifier: Apache-2.0
#include "collision.cuh"

FUNCTION float ball_ball(const Vec &a, float ra, const Vec &b, float rb)
{
    Vec d = minus(b, a);
    float apart = sqrtf(dot(d, d) + 1e-12f), depth = ra + rb - apart;
    return depth > 0.0f ? depth : 0.0f;
}

static __device__ __forceinline__ float clamp(float x, float limit)
{
    return x > limit ? limit : x < -limit ? -limit : x;
}

FUNCTION float ball_brick(const Vec &ball, float radius, const Vec &brick, const Vec &half)
{
    Vec d = minus(ball, brick);
    Vec nearest = vec(clamp(d.x, half.x), clamp(d.y, half.y), clamp(d.z, half.z));
    Vec gap = minus(d, nearest);
    float depth = radius - sqrtf(dot(gap, gap) + 1e-12f);
    return depth > 0.0f ? depth : 0.0f;
}

FUNCTION float brick_brick(const Vec &a, const Vec &ha, const Vec &b, const Vec &hb)
{
    Vec d = minus(b, a);
    float x = ha.x + hb.x - fabsf(d.x), y = ha.y + hb.y - fabsf(d.y), z = ha.z + hb.z - fabsf(d.z);
    float least = x < y ? x : y;
    least = z < least ? z : least;
    return least > 0.0f ? least : 0.0f;
}

METHOD float Ball::meets_ball(const Ball &ball) const
{
    return ball_ball(at, radius, ball.at, ball.radius);
}

METHOD float Ball::meets_brick(const Brick &brick) const
{
    return ball_brick(at, radius, brick.at, brick.half);
}

METHOD float Brick::meets_ball(const Ball &ball) const
{
    return ball_brick(ball.at, ball.radius, at, half);
}

METHOD float Brick::meets_brick(const Brick &brick) const
{
    return brick_brick(at, half, brick.at, brick.half);
}

#ifdef INLINED
METHOD float Thing::meets_ball(const Ball &ball) const
{
    if (kind == BALL)
        return static_cast<const Ball *>(this)->meets_ball(ball);
    return static_cast<const Brick *>(this)->meets_ball(ball);
}

METHOD float Thing::meets_brick(const Brick &brick) const
{
    if (kind == BALL)
        return static_cast<const Ball *>(this)->meets_brick(brick);
    return static_cast<const Brick *>(this)->meets_brick(brick);
}
#else
METHOD float Thing::meets_ball(const Ball &) const
{
    return 0.0f;
}

METHOD float Thing::meets_brick(const Brick &) const
{
    return 0.0f;
}
#endif

METHOD float Ball::meets(const Thing &other) const
{
    return other.meets_ball(*this);
}

METHOD float Brick::meets(const Thing &other) const
{
    return other.meets_brick(*this);
}

#ifdef INLINED
METHOD float Thing::meets(const Thing &other) const
{
    if (kind == BALL)
        return static_cast<const Ball *>(this)->meets(other);
    return static_cast<const Brick *>(this)->meets(other);
}
#else
METHOD float Thing::meets(const Thing &) const
{
    return 0.0f;
}
#endif
