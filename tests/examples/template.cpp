// SPDX-License-Identifier: Apache-2.0
// Makes the mechanism known that models/new_mechanism.sh wrote, as its line of families.def would.
#include "platform/config/registry.h"

#include <gtest/gtest.h>

extern "C" const struct smrf_family smrf_new_one_family;

namespace
{

const int added = smrf_family_add(&smrf_new_one_family);

TEST(NewMechanism, IsThereUnderItsName)
{
    EXPECT_EQ(0, added);
    EXPECT_NE(nullptr, smrf_mechanism_find("new_one"));
    EXPECT_NE(nullptr, smrf_mechanism_find("new-one-4"));
}

} // namespace
