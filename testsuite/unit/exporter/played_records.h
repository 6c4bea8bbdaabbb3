// SPDX-License-Identifier: GPL-2.0-or-later
// Records of a session as staprun writes them.
#pragma once

#include <string>

#include "exporter/record_reader.h"

namespace tapir::exporter {

inline std::string record(const std::string &type, const std::string &members) {
    return R"({"v":1,"type":")" + type + R"(","t":2000000000)" + (members.empty() ? "" : "," + members) + "}";
}

inline void take(RecordReader &reader, const std::string &type, const std::string &members) {
    reader.take(record(type, members));
}

// An answer with a counter, a gauge and a histogram.
inline void tell(RecordReader &reader) {
    reader.take(
        R"({"v":1,"type":"meta","t":1000000000,"module":"m","kernel":"6.1","host":"h","started":1700000000123000000})");
    take(reader, "refresh", R"("hits":10,"lost_hits":2,"errors":1,"lost_records":3,"overhead_ns":5000000)");
    take(reader, "metrics", R"("count":3)");
    take(reader, "metric", R"("name":"calls","kind":"counter","help":"Calls of \"it\"","labels":["program","call"])");
    take(reader, "value", R"("name":"calls","keys":["a\"b\\",7],"value":41)");
    take(reader, "value", R"("name":"calls","keys":["c",-1],"value":1)");
    take(reader, "metric_end", R"("name":"calls")");
    take(reader, "metric", R"("name":"depth","kind":"gauge","help":"Depth","unit":"%","labels":[])");
    take(reader, "value", R"("name":"depth","value":-125)");
    take(reader, "metric_end", R"("name":"depth")");
    take(reader, "metric",
         R"("name":"took","kind":"histogram","help":"Time","unit":"us","shape":"log","labels":["disk"])");
    take(
        reader, "hist",
        R"("name":"took","keys":["sda"],"unit":"us","scale":"log","count":6,"sum":1500012,"buckets":[[0,0,1],[4,7,3],[524288,1048575,2]])");
    take(reader, "metric_end", R"("name":"took")");
}

}  // namespace tapir::exporter
