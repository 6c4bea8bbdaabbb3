#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_dashboard.py DASHBOARD TOOLS [--rules FILE]: a Grafana dashboard asks only for metrics that the tools declare (@metric), or that
the exporter has of its own, with labels that they have; each declared metric is asked for. --rules writes its queries as rules for promtool.
If Grafana's own library is there (grafana-foundation-sdk), it reads the dashboard, too."""
import json
import pathlib
import re
import sys

DECLARED = re.compile(r'^@metric\((\w+), (counter|gauge|histogram), "[^"]+", "([^"]*)"((?:, "[^"]*")*)\)', re.M)
UNITS = {"us": "seconds", "ns": "seconds", "ms": "seconds", "s": "seconds", "%": "ratio"}
SUFFIXES = {"counter": ["_total"], "gauge": [""], "histogram": ["_bucket", "_count", "_sum"]}
OWN = {"tapir_script_up": {"script"}, "tapir_overhead_ratio": {"script"}, "tapir_lost_total": {"script", "what"},
       "tapir_handler_errors_total": {"script"}}


# Returns the labels of each series that tools have, by its name, and the metrics' names.
def declared(folder):
    series, families = {}, set()
    for path in sorted(pathlib.Path(folder).glob("*/*.stp")):
        for name, kind, unit, labels in DECLARED.findall(path.read_text(encoding="utf-8")):
            unit = UNITS.get(unit, unit)
            family = f"tapir_{path.stem}_{name}" + (f"_{unit}" if unit and not name.endswith(unit) else "")
            families.add(family)
            for suffix in SUFFIXES[kind]:
                series[family + suffix] = set(re.findall(r'"([^"]*)"', labels)) | ({"le"} if suffix == "_bucket" else set())
    return series, families


# Yields the queries, and the labels that each one's legend has.
def queries(panels):
    for panel in panels:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"], set(re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", "")))
        yield from queries(panel.get("panels", []))


def check_shape(dashboard):
    assert dashboard["title"] and dashboard["uid"] and dashboard["schemaVersion"] >= 36
    numbers = [p["id"] for p in dashboard["panels"]]
    assert len(numbers) == len(set(numbers)), "two panels have one number"
    taken = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24, panel["title"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, f"{panel['title']} lies on another panel"
        taken |= cells
        assert panel["type"] == "row" or panel["targets"], panel["title"]
        letters = [t["refId"] for t in panel.get("targets", [])]
        assert len(letters) == len(set(letters)), panel["title"]
    variables = {v["name"] for v in dashboard["templating"]["list"]} | {"__rate_interval", "__all"}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(dashboard)))
    assert used <= variables, f"no variable: {used - variables}"


def check_library(dashboard):
    try:
        from grafana_foundation_sdk.models.dashboard import Dashboard
    except ImportError:
        return
    read = Dashboard.from_json(dashboard).to_json()
    assert len(read["panels"]) == len(dashboard["panels"]), "Grafana's library reads other panels"
    assert read["templating"]["list"][1]["query"] == dashboard["templating"]["list"][1]["query"]
    print("Grafana's library reads it")


def main():
    dashboard = json.load(open(sys.argv[1], encoding="utf-8"))
    series, families = declared(sys.argv[2])
    assert len(families) >= 10, families
    check_shape(dashboard)
    check_library(dashboard)
    known = {**series, **OWN}
    asked, rules = set(), []
    for title, text, legend in queries(dashboard["panels"]):
        names = set(re.findall(r"\btapir_\w+", text))
        assert names and names <= set(known), f"{title}: nothing declares {names - set(known)}"
        labels = set().union(*(known[n] for n in names)) | {"instance"}
        used = set(re.findall(r"\b(\w+) *(?:=~|=|!=)", text)) | legend
        for by in re.findall(r"by \(([^)]*)\)", text):
            used |= {label.strip() for label in by.split(",")}
        assert used <= labels, f"{title}: {names} have no label {used - labels}"
        asked |= {f for f in families for n in names if n in (f + s for kind in SUFFIXES.values() for s in kind)}
        rules.append(text.replace("$__rate_interval", "1m").replace("$instance", ".*"))
    assert asked == families, f"no panel has {families - asked}"
    if "--rules" in sys.argv:
        groups = [{"name": "dashboard", "rules": [{"record": f"query:{i}", "expr": text} for i, text in enumerate(rules)]}]
        with open(sys.argv[sys.argv.index("--rules") + 1], "w", encoding="utf-8") as file:
            json.dump({"groups": groups}, file)
    print(f"{len(rules)} queries, {len(families)} metrics")


main()
