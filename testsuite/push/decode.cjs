// SPDX-License-Identifier: GPL-2.0-or-later
// decode.cjs MODULES FILE: a request of OTLP as OpenTelemetry's own library reads it, a line for each point: NAME{KEY=VALUE,...} VALUE, and
// for histograms _bucket, _count and _sum with cumulative counts. First come lines "resource KEY=VALUE". Fails for what it cannot read, and for
// fields that the library does not know.
const path = require("path");
const fs = require("fs");
const [modules, file] = process.argv.slice(2);
const root = require(path.join(modules, "node_modules/@opentelemetry/otlp-transformer/build/src/generated/root.js"));
const metricsV1 = root.opentelemetry.proto.collector.metrics.v1;
const bytes = fs.readFileSync(file);
const message = metricsV1.ExportMetricsServiceRequest.decode(bytes);
const wrong = metricsV1.ExportMetricsServiceRequest.verify(message);
if (wrong) throw new Error(wrong);
// The message makes as many bytes again: nothing was skipped.
const again = metricsV1.ExportMetricsServiceRequest.encode(message).finish();
if (again.length !== bytes.length) throw new Error(`${bytes.length} bytes were written, ${again.length} are known`);
const text = (value) => String(value.stringValue ?? value.intValue ?? value.doubleValue);
const labels = (point, more = []) =>
    "{" + [...point.attributes.map((a) => `${a.key}=${text(a.value)}`), ...more].join(",") + "}";
for (const resource of message.resourceMetrics) {
    for (const a of resource.resource.attributes) console.log(`resource ${a.key}=${text(a.value)}`);
    for (const scope of resource.scopeMetrics) {
        console.log(`scope ${scope.scope.name} ${scope.scope.version}`);
        for (const metric of scope.metrics) {
            const data = metric.gauge ?? metric.sum ?? metric.histogram;
            const kind = metric.gauge ? "gauge" : metric.sum ? "sum" : "histogram";
            const how = kind === "gauge" ? "" : ` ${data.aggregationTemporality}${data.isMonotonic ? " monotonic" : ""}`;
            console.log(`metric ${metric.name} ${kind}${how} [${metric.unit}] ${metric.description}`);
            for (const point of data.dataPoints) {
                console.log(`times ${metric.name} ${point.startTimeUnixNano} ${point.timeUnixNano}`);
                if (kind !== "histogram") {
                    console.log(`${metric.name}${labels(point)} ${point.asInt ?? point.asDouble}`);
                    continue;
                }
                let below = 0;
                point.bucketCounts.forEach((count, i) => {
                    below += Number(count);
                    const le = i < point.explicitBounds.length ? point.explicitBounds[i] : "+Inf";
                    console.log(`${metric.name}_bucket${labels(point, [`le=${le}`])} ${below}`);
                });
                console.log(`${metric.name}_count${labels(point)} ${point.count}`);
                console.log(`${metric.name}_sum${labels(point)} ${point.sum}`);
            }
        }
    }
}
