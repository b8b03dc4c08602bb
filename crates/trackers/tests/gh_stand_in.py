#!/usr/bin/env -S python3 -I -S
"""A stand-in for `gh`: written from its manual and from the messages that its source has, not the program itself.

It is strict about its arguments: whatever the manual does not have is refused with exit status 1, as `gh` does. The
repository is in .gh/state.json, and every call is added to .gh/calls.
"""
import csv
import json
import sys

HOME = ".gh"
FIELDS = {"number", "title", "body", "state", "stateReason", "labels", "milestone", "url", "closed", "assignees"}


def refuse(why):
    sys.stderr.write(f"{why}\n")
    sys.exit(1)


def load():
    with open(f"{HOME}/state.json") as file:
        return json.load(file)


def save(state):
    with open(f"{HOME}/state.json", "w") as file:
        json.dump(state, file)


def parsed(args, known):
    """Positions and options; an option that may be repeated has a list."""
    places, given = [], {}
    args = list(args)
    while args:
        arg = args.pop(0)
        if not arg.startswith("-"):
            places.append(arg)
            continue
        key, equals, value = arg.partition("=")
        if key not in known:
            refuse(f"unknown flag: {key}")
        if not equals:
            if not args:
                refuse(f"flag needs an argument: {key}")
            value = args.pop(0)
        given.setdefault(key, []).append(value)
    return places, given


def one(given, key, default=None):
    return given.get(key, [default])[-1]


def fields(given, allowed):
    names = one(given, "--json", "").split(",")
    for name in names:
        if name not in allowed:
            refuse(f'Unknown JSON field: "{name}"')
    return names


def issue(state, places):
    if len(places) != 1:
        refuse(f"accepts 1 arg(s), received {len(places)}")
    for found in state["issues"]:
        if str(found["number"]) == places[0]:
            return found
    refuse(f"GraphQL: Could not resolve to an issue or pull request with the number of {places[0]}. (repository.issue)")


def labels(given, key):
    return [name for value in given.get(key, []) for name in next(csv.reader([value]))]


def issue_list(args):
    places, given = parsed(args, {"--state", "--limit", "--json"})
    names = fields(given, FIELDS)
    if places or one(given, "--state", "open") not in ("open", "closed", "all"):
        refuse("invalid argument")
    found = [one for one in load()["issues"] if "/pull/" not in one["url"]]
    if one(given, "--state", "open") != "all":
        found = [each for each in found if each["state"].lower() == one(given, "--state", "open")]
    found = sorted(found, key=lambda each: -each["number"])[: int(one(given, "--limit", 30))]
    print(json.dumps([{name: each.get(name) for name in names} for each in found]))


def issue_view(args):
    places, given = parsed(args, {"--json"})
    names = fields(given, FIELDS)
    found = issue(load(), places)
    print(json.dumps({name: found.get(name) for name in names}))


def issue_close(args):
    places, given = parsed(args, {"--reason", "--comment"})
    state = load()
    found = issue(state, places)
    if one(given, "--reason", "completed") not in ("completed", "not planned"):
        refuse('invalid argument for "-r, --reason" flag: valid values are {completed|not planned}')
    if found["state"] == "CLOSED":
        sys.stderr.write(f"! Issue o/r#{found['number']} ({found['title']}) is already closed\n")
        return
    found["state"], found["stateReason"] = "CLOSED", one(given, "--reason", "completed").upper().replace(" ", "_")
    if one(given, "--comment"):
        found.setdefault("comments", []).append(one(given, "--comment"))
    save(state)
    sys.stderr.write(f"✓ Closed issue o/r#{found['number']} ({found['title']})\n")


def issue_reopen(args):
    places, _ = parsed(args, {"--comment"})
    state = load()
    found = issue(state, places)
    found["state"], found["stateReason"] = "OPEN", "REOPENED"
    save(state)
    sys.stderr.write(f"✓ Reopened issue o/r#{found['number']} ({found['title']})\n")


def issue_edit(args):
    places, given = parsed(args, {"--add-label", "--remove-label"})
    state = load()
    found = issue(state, places)
    for name in labels(given, "--add-label") + labels(given, "--remove-label"):
        if name not in state["labels"]:
            refuse(f"failed to update https://github.com/o/r/issues/{found['number']}: '{name}' not found")
    gone = labels(given, "--remove-label")
    kept = [label for label in found["labels"] if label["name"] not in gone]
    have = [label["name"] for label in kept]
    found["labels"] = kept + [{"name": name} for name in labels(given, "--add-label") if name not in have]
    save(state)
    print(found["url"])


def label_list(args):
    places, given = parsed(args, {"--limit", "--json"})
    fields(given, {"name", "color", "description"})
    print(json.dumps([{"name": name} for name in load()["labels"][: int(one(given, "--limit", 30))]]))


def repo_view(args):
    _, given = parsed(args, {"--json"})
    fields(given, {"name", "nameWithOwner", "description"})
    print(json.dumps({"nameWithOwner": "o/r", "description": "All of it"}))


def main():
    args = sys.argv[1:]
    with open(f"{HOME}/calls", "a") as file:
        file.write(json.dumps(args) + "\n")
    commands = {
        ("issue", "list"): issue_list,
        ("issue", "view"): issue_view,
        ("issue", "close"): issue_close,
        ("issue", "reopen"): issue_reopen,
        ("issue", "edit"): issue_edit,
        ("label", "list"): label_list,
        ("repo", "view"): repo_view,
    }
    if tuple(args[:2]) not in commands:
        refuse(f"unknown command {args[:2]}")
    commands[tuple(args[:2])](args[2:])


main()
