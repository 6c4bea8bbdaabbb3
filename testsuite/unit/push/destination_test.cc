// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/destination.h"

#include <gtest/gtest.h>

#include "push/profiles.h"
#include "push/push_items.h"
#include "push/push_settings.h"

namespace tapir::push {
namespace {

std::string metrics_url(const std::string &url) {
    const Outcome<Destination> read = read_destination(url);
    return read ? read->base + metrics_path(*read) : read.fault().text;
}

TEST(Destinations, MetricsOfOtlp) {
    EXPECT_EQ(metrics_url("http://h:4318"), "http://h:4318/v1/metrics");
    EXPECT_EQ(metrics_url("https://h/otlp/"), "https://h/otlp/v1/metrics");
    EXPECT_EQ(metrics_url("otlp+https://h/v1/metrics"), "https://h/v1/metrics");
    EXPECT_TRUE(read_destination("otlp+http://h")->takes_metrics());
}

std::string profile_url(const std::string &url) {
    const Outcome<Destination> read = read_destination(url);
    return read ? read->base + profile_path(*read, {"on cpu", 17, 29}) : read.fault().text;
}

TEST(Destinations, Profiles) {
    EXPECT_EQ(profile_url("pyroscope+http://h:4040/"),
              "http://h:4040/ingest?name=tapir.on%20cpu&from=17&until=29&format=pprof&spyName=tapir");
    EXPECT_EQ(profile_url("parca+https://h:7070"), "https://h:7070/api/profiles/writeraw");
    EXPECT_EQ(profile_url("parca+https://h/own"), "https://h/own/profiles/writeraw");
    EXPECT_EQ(profile_url("pprof+https://h/up?key=1/"), "https://h/up?key=1/");
    EXPECT_FALSE(read_destination("pprof+http://h")->takes_metrics());
    EXPECT_FALSE(read_destination("http://h")->takes_profiles());
}

TEST(Destinations, ParcasRequest) {
    const Destination parca = *read_destination("parca+http://h");
    const Item item = profile_item(parca, {"on\"cpu", 17, 29}, "web1", "gz");
    EXPECT_EQ(item.type, "application/json");
    EXPECT_EQ(item.body, R"({"series":[{"labels":{"labels":[{"name":"__name__","value":"tapir"},)"
                         R"({"name":"script","value":"on\"cpu"},{"name":"node","value":"web1"}]},)"
                         R"("samples":[{"raw_profile":"Z3o="}]}],"normalized":false})");
}

TEST(Destinations, NamesOfScripts) {
    EXPECT_EQ(script_name("tools/disk/biolatency.stp"), "biolatency");
    for (const char *text : {"", "-", "probe begin { exit() }", "/x/.stp"})
        EXPECT_EQ(script_name(text), "script") << text;
}

TEST(Destinations, WhatIsNone) {
    const std::pair<const char *, const char *> kWrong[] = {
        {"", "'' is no URL to push to"},
        {"h:4318", "'h:4318' is no URL to push to"},
        {"ftp://h", "'ftp://h' is no URL to push to"},
        {"zipkin+http://h", "'zipkin+http://h' is no URL to push to"},
        {"http:///x", "'http:///x' has no host"},
        {"http://h/a b", "'http://h/a b' has a blank or a '#'"},
        {"http://h/#x", "'http://h/#x' has a blank or a '#'"},
        {"http://me:secret@h", "the URL has a user's name"},
        {"http://h/?a=b", "'http://h/?a=b' has a query, which only pprof+... may have"}};
    for (const auto &[url, why] : kWrong) {
        const Outcome<Destination> read = read_destination(url);
        ASSERT_FALSE(read) << url;
        EXPECT_EQ(read.fault().text, why);
        EXPECT_EQ(read.fault().tag, FaultTag::Misuse);
    }
}

TEST(PushSettings, Lines) {
    const Outcome<PushSettings> read = parse_settings(
        "# how\n\nheader=Authorization: Bearer x=y\nattribute=service.name=web=1\nqueue=/q\nqueue-size=3\nevery=0.5\n"
        " linger=0 \nretry=2\ntimeout=5\nseries=7\nauthority=/ca.pem\n");
    ASSERT_TRUE(read) << read.fault().text;
    EXPECT_EQ(read->headers, std::vector<std::string>{"Authorization: Bearer x=y"});
    EXPECT_EQ(read->attributes.at("service.name"), "web=1");
    EXPECT_EQ(read->queue, "/q");
    EXPECT_EQ(read->authority, "/ca.pem");
    EXPECT_EQ(read->queue_bytes, 3u << 20);
    EXPECT_EQ(read->every.count(), 500);
    EXPECT_EQ(read->linger.count(), 0);
    EXPECT_EQ(read->retry.count(), 2000);
    EXPECT_EQ(read->timeout.count(), 5);
    EXPECT_EQ(read->series, 7u);
}

TEST(PushSettings, WhatIsWrong) {
    const std::pair<const char *, const char *> kWrong[] = {
        {"\nnonsense", "line 2: 'nonsense' is no setting"},
        {"header=x", "line 1: header= takes NAME: VALUE"},
        {"attribute==x", "line 1: attribute= takes KEY=VALUE"},
        {"queue=here", "line 1: queue= takes an absolute path"},
        {"queue-size=0", "line 1: queue-size= takes 1 to 1000000 megabytes"},
        {"every=0", "line 1: every= takes 0.1 to 3600 seconds"},
        {"every=nan", "line 1: every= takes 0.1 to 3600 seconds"},
        {"linger=-1", "line 1: linger= takes 0 to 3600 seconds"},
        {"retry=1s", "line 1: retry= takes 0.01 to 60 seconds"},
        {"timeout=601", "line 1: timeout= takes 1 to 600 seconds"},
        {"series=x", "line 1: series= takes 1 to 1000000"}};
    for (const auto &[text, why] : kWrong) {
        const Outcome<PushSettings> read = parse_settings(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.fault().text, why);
    }
}

}  // namespace
}  // namespace tapir::push
