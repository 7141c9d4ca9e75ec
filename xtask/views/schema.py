"""JSON against its schema: python schema.py <schema> <file that has to be right> .. -- <file that has to be wrong> .."""

import json
import os
import sys

from jsonschema import Draft202012Validator


def faults(validator, path):
    with open(path, encoding="utf-8") as file:
        profile = json.load(file)
    found = [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(profile)]
    return found, len(profile.get("sites", []))


def main():
    schema, *paths = sys.argv[1:]
    with open(schema, encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    split = paths.index("--")
    looked = []
    for path in paths[:split]:
        found, sites = faults(validator, path)
        fault = found[0] if found else None
        looked.append({"at": os.path.basename(path), "what": "is as the schema says", "seen": f"{sites} sites", "fault": fault})
    for path in paths[split + 1 :]:
        found, _ = faults(validator, path)
        fault = None if found else "nobody noticed"
        looked.append({"at": os.path.basename(path), "what": "is not", "seen": found[0] if found else "", "fault": fault})
    print(json.dumps(looked))


main()
