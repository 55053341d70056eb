// SPDX-License-Identifier: Apache-2.0
#include "dmr.cuh"

// Is an angle of the triangle too small, its cosine squared above 3/4?
FUNCTION int thin(float ax, float ay, float bx, float by, float cx, float cy)
{
    float ux = bx - ax, uy = by - ay, vx = cx - ax, vy = cy - ay, wx = cx - bx, wy = cy - by;
    float uu = ux * ux + uy * uy, vv = vx * vx + vy * vy, ww = wx * wx + wy * wy;
    float uv = ux * vx + uy * vy, uw = -ux * wx - uy * wy, vw = vx * wx + vy * wy;
    int a = uv > 0.0f && uv * uv > 0.75f * uu * vv;
    int b = uw > 0.0f && uw * uw > 0.75f * uu * ww;
    int c = vw > 0.0f && vw * vw > 0.75f * vv * ww;
    return a + b + c;
}

// Above 0 where the origin lies in the circle through the three points, which are in counterclockwise
// order: their determinant.
FUNCTION float inside(float ax, float ay, float bx, float by, float cx, float cy)
{
    float aa = ax * ax + ay * ay, bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    float left = aa * (bx * cy - cx * by), middle = bb * (cx * ay - ax * cy);
    return left + middle + cc * (ax * by - bx * ay);
}
