// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/places.h"

#include <gtest/gtest.h>

#include <optional>

#include "../trust/authority.h"

namespace tapir::server {
namespace {

class PlacesTest : public ::testing::Test {
  protected:
    trust::Folder folder_;
    Kernels kernels_{folder_.path(), {}};
    Results results_{folder_.path() + "/results", 1 << 20};
    Compiler compiler_{{}, kernels_, results_};
    Jobs jobs_{1, 4}, preparations_{1, 4};
    Service service_{{}, kernels_, compiler_, results_, jobs_, preparations_};
    Places places_{{3, 2}, service_};
};

TEST_F(PlacesTest, SoManyInAll) {
    const Place first(places_, true, ""), second(places_, true, "10.0.0.1"), third(places_, true, "10.0.0.2");
    EXPECT_TRUE(first.granted() && second.granted() && third.granted());
    EXPECT_EQ(service_.connections, 3);
    EXPECT_FALSE(Place(places_, true, "").granted());
    EXPECT_EQ(service_.connections, 3);
    EXPECT_EQ(service_.connections_refused, 1u);
    // One that a balancer has named counts for its address alone.
    EXPECT_TRUE(Place(places_, false, "10.0.0.3").granted());
}

TEST_F(PlacesTest, SoManyOfAnAddress) {
    std::optional<Place> first, second;
    first.emplace(places_, true, "10.0.0.1");
    second.emplace(places_, false, "10.0.0.1");
    EXPECT_FALSE(Place(places_, true, "10.0.0.1").granted());
    EXPECT_TRUE(Place(places_, true, "10.0.0.2").granted());
    EXPECT_EQ(service_.connections, 1);
    second.reset();
    EXPECT_TRUE(Place(places_, true, "10.0.0.1").granted());
    first.reset();
    EXPECT_EQ(service_.connections, 0);
    EXPECT_EQ(service_.connections_refused, 1u);
}

}  // namespace
}  // namespace tapir::server
