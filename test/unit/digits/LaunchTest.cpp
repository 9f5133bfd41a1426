#include "dialect/digits/Launch.h"

#include <gtest/gtest.h>

using namespace idc::digits;

namespace {

std::string spelled(const std::string &text) {
  Launch launch;
  std::string error;
  return Launch::parse(text, launch, error) ? launch.str() : "error: " + error;
}

TEST(Launch, EveryCombinationIsReadBack) {
  for (int64_t cluster : {1, 4})
    for (int64_t team : {1, 256})
      for (bool persistent : {false, true})
        for (bool dependent : {false, true})
          for (int64_t resident : {0, 3, 33}) {
            Launch launch{cluster, team, persistent, dependent, resident}, read;
            std::string error;
            EXPECT_EQ(Launch::parse(launch.str(), read, error), launch.check().empty()) << launch.str();
            if (launch.check().empty()) {
              EXPECT_EQ(read, launch) << launch.str();
            }
            EXPECT_EQ(launch.blocksTogether(), cluster * team);
          }
  EXPECT_EQ(Launch().str(), "grid");
  EXPECT_EQ(spelled("dependent persistent cluster 8"), "cluster 8 persistent dependent");
  EXPECT_EQ(spelled("resident 5 cluster 8"), "cluster 8 resident 5");
}

TEST(Launch, EarlierSpellings) {
  EXPECT_EQ(spelled("plain"), "grid");
  EXPECT_EQ(spelled("tickets"), "persistent");
  EXPECT_EQ(spelled("tickets blocks 4"), "cluster 4 persistent");
  EXPECT_EQ(spelled("dependent-launch blocks 2"), "cluster 2 dependent");
  EXPECT_EQ(spelled("cooperative blocks 128"), "team 128");
}

TEST(Launch, Mistakes) {
  EXPECT_EQ(spelled("flat"), "error: unknown word 'flat'; expected grid, cluster N, team N, persistent, dependent or resident N");
  EXPECT_EQ(spelled("cluster"), "error: 'cluster' needs a number of blocks, at least one");
  EXPECT_EQ(spelled("team 0"), "error: 'team' needs a number of blocks, at least one");
  EXPECT_EQ(spelled("cluster 4 team 4"), "error: blocks are tied together as a cluster or as a team");
  EXPECT_EQ(spelled("team 4 persistent"),
            "error: blocks of a team work through the problems in turn; they draw no numbers");
}

} // namespace
