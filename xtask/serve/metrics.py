"""Prometheus' own parser, for what a running program answers: python metrics.py <URL of the directory with metrics and stats>."""

import json
import sys
import urllib.request

from prometheus_client.parser import text_string_to_metric_families


def ask(name):
    with urllib.request.urlopen(sys.argv[1] + name, timeout=10) as answer:
        return answer.headers["content-type"], answer.read().decode()


kind, text = ask("metrics")
stats = json.loads(ask("stats")[1])
families = {family.name: family for family in text_string_to_metric_families(text)}
looked = []


def check(what, fault, seen=""):
    looked.append({"at": "metrics", "what": what, "seen": seen, "fault": fault})


def value(family, **labels):
    samples = [sample.value for sample in families[family].samples if sample.labels == labels]
    return samples[0] if len(samples) == 1 else None


def same(family, wanted, **labels):
    found = value(family, **labels) if family in families else None
    check(family, None if found == wanted else f"{found}, and stats has {wanted}")


check("content type", None if kind.startswith("text/plain; version=0.0.4") else kind)
# The parser takes the ending of a counter off.
kinds = {"counter": "_total", "gauge": ""}
wrong = [name for name, family in families.items() if family.type not in kinds or not family.documentation]
check("families", f"{wrong} have no type or no help" if wrong else None, f"{len(families)} families")
prefixes = [name for name in families if not name.startswith("allometer_")]
check("names", f"{prefixes} are not ours" if prefixes else None)
same("allometer_session_active", 1)
same("allometer_sample_interval_bytes", stats["sample_interval_bytes"])
same("allometer_samples", stats["samples"])
same("allometer_sites", stats["sites"])
same("allometer_live_samples", stats["live_samples"])
same("allometer_live_bytes", stats["live"]["bytes"])
same("allometer_live_bytes_standard_error", stats["live"]["bytes_error"])
same("allometer_live_objects", stats["live"]["objects"])
same("allometer_allocated_bytes", stats["allocated"]["bytes"])
same("allometer_allocated_objects", stats["allocated"]["objects"])
same("allometer_lost_samples", 0, bound="site_table")
same("allometer_provider_info", 1, provider=stats["provider"])
for figure in stats["provider_figures"]:
    found = value("allometer_provider_bytes", figure=figure["name"])
    # It is read once a second, and may have been read anew.
    check(figure["name"], None if found and found > 0 else f"{found}", "")
print(json.dumps(looked))
