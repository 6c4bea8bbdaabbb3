#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_text.py FILE NAME{LABELS}=VALUE...: reads an OpenMetrics text with the reader of Prometheus' Python client, and compares samples."""
import sys

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError:
    print("no reader of OpenMetrics: install python3-prometheus-client")
    sys.exit(77)

samples = {}
for family in text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read()):
    assert family.documentation, family
    if family.unit:
        assert family.name.endswith("_" + family.unit), family
    for sample in family.samples:
        labels = ",".join(f"{k}={v}" for k, v in sorted(sample.labels.items()))
        samples[f"{sample.name}{{{labels}}}"] = sample.value
for wanted in sys.argv[2:]:
    name, value = wanted.rsplit("=", 1)
    name = name if "{" in name else name + "{}"
    if samples.get(name) != float(value):
        sys.exit(f"{name} is {samples.get(name)}, not {value}")
