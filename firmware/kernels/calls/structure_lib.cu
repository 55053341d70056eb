// SPDX-License-Identifier: Apache-2.0
#include "structure.cuh"

FUNCTION float within(float x, float limit)
{
    float y = x < limit ? x : limit;
    return y > -limit ? y : -limit;
}

METHOD float Steel::stress(float strain) const
{
    return stiff * within(strain, limit);
}

METHOD float Rope::stress(float strain) const
{
    float s = within(strain, limit);
    return s > 0.0f ? stiff * s * (1.0f + s * s) : 0.0f;
}

#ifdef INLINED
METHOD float Material::stress(float strain) const
{
    if (kind == STEEL)
        return static_cast<const Steel *>(this)->stress(strain);
    return static_cast<const Rope *>(this)->stress(strain);
}
#else
METHOD float Material::stress(float) const
{
    return 0.0f;
}
#endif

FUNCTION float tension(const Link &link, float length)
{
    float rest = link.length;
    return link.material->stress((length - rest) * 0.5f) * rest;
}
