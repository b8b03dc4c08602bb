#!/usr/bin/env -S python3 -I -S
"""A stand-in for `br`, `bd` and `bv`: written from their help texts and from recorded answers, not one of them.

It is strict about its arguments: whatever these programs do not document is refused with exit status 2. The issues are
in .beads/stand-in.json, and every call is added to .beads/calls. STAND_IN_SHAPE, in .beads/shape, chooses between the
shapes of answers that the versions have: `array` (br 0.1.12), `refusal` (br 0.1.14, from its source: the same, but where
nothing was closed it fails), `mixed` (br 0.1.45, as it was seen to answer: a list is an object, and so is what is said of
nothing closed), `lenient` (br 0.7.6, as it was seen to answer: the same, but what is in an epic that waits can be closed) or
`object` (whatever can be one in the source of br 0.7.6).
"""
import json
import os
import re
import sys

NAME = os.path.basename(sys.argv[0])
HOME = ".beads"


def refuse(why):
    sys.stderr.write(f"error: {why}\n")
    sys.exit(2)


def complain(code, message, status=3):
    # br 0.7.6 says it where it answers, and nothing elsewhere.
    stream = sys.stdout if shape() == "lenient" else sys.stderr
    if stream is sys.stderr:
        stream.write("2026-11-15T19:12:22Z DEBUG beads: a line of a log {with: braces}\n")
    stream.write(json.dumps({"error": {"code": code, "message": message, "hint": "list them", "retryable": False}}, indent=2))
    sys.exit(status)


def invalid(field, why):
    complain("VALIDATION_FAILED", f"Validation failed: {field}: {why}", 4)


def load():
    with open(f"{HOME}/stand-in.json") as file:
        return json.load(file)


def save(issues):
    with open(f"{HOME}/stand-in.json", "w") as file:
        json.dump(issues, file)


def shape():
    try:
        with open(f"{HOME}/shape") as file:
            return file.read().strip()
    except FileNotFoundError:
        return "array"


def parsed(args, flags, values):
    ids, given = [], {}
    args = list(args)
    while args:
        arg = args.pop(0)
        key, _, value = arg.partition("=")
        if arg in flags:
            given[arg] = True
        elif key in values:
            if "=" not in arg:
                if not args or args[0].startswith("-"):
                    refuse(f"{key} wants a value")
                value = args.pop(0)
            given[key] = value
        elif arg.startswith("-"):
            refuse(f"unknown option {arg}")
        else:
            ids.append(arg)
    if "--json" not in given:
        refuse("only --json is understood")
    return ids, given


def found(issues, name):
    for issue in issues:
        if issue["id"] == name:
            return issue
    complain("ISSUE_NOT_FOUND", f"Issue not found: {name}")


def is_closed(issues, name):
    return any(issue["id"] == name and issue["status"] in ("closed", "tombstone") for issue in issues)


def blocked_by(issues, issue, depth=50):
    """What is blocked blocks its children, too."""
    dependencies = issue.get("dependencies", [])
    waits = [one["depends_on_id"] for one in dependencies if one["type"] in ("blocks", "conditional-blocks", "waits-for")]
    waits = [f"{one}:open" for one in waits if not is_closed(issues, one)]
    if waits or depth == 0 or shape() == "lenient":
        return waits
    parents = [one["depends_on_id"] for one in dependencies if one["type"] == "parent-child"]
    parents = [one for one in issues if one["id"] in parents]
    return [f"{one['id']}:parent-blocked" for one in parents if blocked_by(issues, one, depth - 1)]


def listed(issue):
    short = {key: value for key, value in issue.items() if key not in ("dependencies", "parent")}
    return {**short, "dependency_count": len(issue.get("dependencies", [])), "dependent_count": 0}


def answer_list(args):
    ids, given = parsed(args, {"--json", "--all"}, {"--limit"})
    if ids:
        refuse(f"unexpected {ids}")
    issues = load()
    if "--all" not in given:
        issues = [issue for issue in issues if issue["status"] != "closed"]
    limit = int(given.get("--limit", 50))
    shown = [issue if NAME == "bd" else listed(issue) for issue in issues]
    shown = shown[:limit] if limit else shown
    if shape() in ("object", "mixed", "lenient"):
        return {"issues": shown, "total": len(issues), "limit": limit, "offset": 0, "has_more": False}
    return shown


def answer_show(args):
    ids, _ = parsed(args, {"--json"}, set())
    issues = load()
    shown = []
    for name in ids:
        issue = dict(found(issues, name))
        if "dependencies" in issue:
            issue["dependencies"] = [
                {
                    "id": one["depends_on_id"],
                    "title": "x",
                    "status": next((other["status"] for other in issues if other["id"] == one["depends_on_id"]), "unknown"),
                    "priority": 2,
                    "dependency_type": one["type"],
                }
                for one in issue["dependencies"]
            ]
        shown.append(issue)
    return shown


def answer_update(args):
    ids, given = parsed(args, {"--json"}, {"--status", "--acceptance"})
    status = given.get("--status", "open")
    if status not in ("open", "in_progress", "blocked", "deferred", "closed"):
        refuse(f"no such status {status}")
    issues = load()
    changed = []
    for name in ids:
        issue = found(issues, name)
        blockers = blocked_by(issues, issue) if status == "in_progress" else []
        if blockers and shape() in ("mixed", "lenient"):
            invalid("claim", f"cannot claim blocked issue: {', '.join(blockers)}")
        if "--status" in given:
            issue["status"] = status
        if "--acceptance" in given:
            issue["acceptance_criteria"] = given["--acceptance"]
        changed.append({key: issue[key] for key in ("id", "title", "status", "priority")})
    save(issues)
    if shape() == "object":
        return {"updated": changed, "warnings": ["capacity"]}
    return changed


def checked(issues, given):
    """What is refused of a new issue, as br 0.1.45 and 0.7.6 were seen to refuse it."""
    title, reference = given.get("--title", ""), given.get("--external-ref")
    if not title.strip():
        invalid("title", "cannot be empty")
    if len(title) > 500:
        invalid("title", "exceeds 500 characters")
    if len(given.get("--description", "")) > 100 << 10 and shape() != "lenient":
        invalid("description", "exceeds 100KB")
    labels = sorted(label for label in given.get("--labels", "").split(",") if label)
    for label in labels:
        if not re.fullmatch("[A-Za-z0-9_:-]+", label):
            invalid("label", "invalid characters (only alphanumeric, hyphen, underscore, colon allowed)")
        if len(label) > 50:
            invalid("label", "exceeds 50 characters")
    if reference is not None:
        if len(reference) > 200:
            invalid("external_ref", "exceeds 200 characters")
        if re.search(r"\s", reference):
            invalid("external_ref", "cannot contain whitespace")
        for issue in issues:
            if issue.get("external_ref") == reference:
                message = f"Configuration error: External reference '{reference}' already exists on issue {issue['id']}"
                complain("CONFIG_ERROR", message, 7)
    return labels


def answer_create(args):
    values = {"--title", "--type", "--priority", "--description", "--labels", "--parent", "--external-ref"}
    ids, given = parsed(args, {"--json"}, values)
    if ids:
        refuse(f"unexpected {ids}")
    issues = load()
    labels = checked(issues, given)
    # Not in the order in which they are made: the programs draw them by lot.
    issue = {"id": f"bd-z{999 - len(issues)}", "title": given["--title"], "status": "open"}
    if "--parent" in given:
        parent = found(issues, given["--parent"])["id"]
        below = sum(one["id"].startswith(f"{parent}.") for one in issues)
        issue["id"] = f"{parent}.{below + 1}"
        issue["dependencies"] = [{"issue_id": issue["id"], "depends_on_id": parent, "type": "parent-child"}]
    issue["priority"] = int(given.get("--priority", 2))
    issue["issue_type"] = given.get("--type", "task")
    issue["created_at"] = f"2026-11-16T11:{len(issues) // 60:02}:{len(issues) % 60:02}.852334398Z"
    optional = {"description": given.get("--description"), "external_ref": given.get("--external-ref"), "labels": labels}
    issue.update({key: value for key, value in optional.items() if value})
    issues.append(issue)
    save(issues)
    return {key: value for key, value in issue.items() if key != "dependencies"}


def answer_dep(args):
    if args[:1] != ["add"]:
        refuse(f"unknown command dep {args}")
    ids, given = parsed(args[1:], {"--json"}, {"--type"})
    if len(ids) != 2:
        refuse("the following required arguments were not provided: <DEPENDS_ON>")
    issues = load()
    issue, other = (found(issues, name) for name in ids)
    answer = {"issue_id": ids[0], "depends_on_id": ids[1], "type": given.get("--type", "blocks")}
    if ids[0] == ids[1]:
        complain("SELF_DEPENDENCY", f"Issue cannot depend on itself: {ids[0]}", 5)
    if any(one["depends_on_id"] == ids[1] for one in issue.get("dependencies", [])):
        return {"status": "exists", **answer, "action": "already_exists"}
    reached, left = set(), [other]
    while left:
        one = left.pop()
        if one["id"] not in reached:
            reached.add(one["id"])
            waits = [to["depends_on_id"] for to in one.get("dependencies", []) if to["type"] == "blocks"]
            left.extend(to for to in issues if to["id"] in waits)
    if ids[0] in reached:
        complain("CYCLE_DETECTED", f"Cycle detected in dependencies: {ids[0]} -> {ids[1]}", 5)
    issue.setdefault("dependencies", []).append(answer)
    save(issues)
    return {"status": "ok", **answer, "action": "added"}


def open_children(issues, issue):
    if issue.get("issue_type") != "epic" or shape() not in ("mixed", "lenient"):
        return []
    is_below = lambda one: any(
        to["depends_on_id"] == issue["id"] and to["type"] == "parent-child" for to in one.get("dependencies", [])
    )
    return [one["id"] for one in issues if is_below(one) and not is_closed(issues, one["id"])]


def answer_close(args):
    ids, given = parsed(args, {"--json"}, {"--reason"})
    issues = load()
    closed, skipped = [], []
    for name in ids:
        issue = found(issues, name)
        blockers = blocked_by(issues, issue)
        children = open_children(issues, issue)
        if children:
            skipped.append({"id": name, "reason": f"epic has {len(children)} open children (use --force to close anyway)"})
            continue
        if is_closed(issues, name) or blockers:
            why = f"blocked by: {', '.join(blockers)}" if blockers else "already closed"
            skipped.append({"id": name, "reason": why})
            continue
        issue["status"], issue["close_reason"] = "closed", given.get("--reason", "")
        closed.append({"id": name, "title": issue["title"], "status": "closed", "close_reason": issue["close_reason"]})
    save(issues)
    if shape() == "object":
        return {"closed": closed, "skipped": skipped, "warnings": []}
    if shape() in ("refusal", "mixed", "lenient") and not closed:
        print(json.dumps(closed if shape() == "refusal" else {"closed": closed, "skipped": skipped}))
        complain("NOTHING_TO_DO", f"Nothing to do: all {len(skipped)} issue(s) skipped")
    return closed


def main():
    args = sys.argv[1:]
    with open(f"{HOME}/calls", "a") as file:
        file.write(json.dumps([NAME, *args]) + "\n")
    if NAME == "bv":
        if args != ["--robot-triage"]:
            refuse(f"never run {args}")
        with open(f"{HOME}/triage.json") as file:
            sys.stdout.write(file.read())
        return
    commands = {
        "list": answer_list,
        "show": answer_show,
        "create": answer_create,
        "dep": answer_dep,
        "update": answer_update,
        "close": answer_close,
    }
    # As if it were killed, once that many more calls were made.
    if os.path.exists(f"{HOME}/left"):
        with open(f"{HOME}/left") as file:
            left = int(file.read())
        if left == 0:
            sys.exit(1)
        with open(f"{HOME}/left", "w") as file:
            file.write(str(left - 1))
    if not args or args[0] not in commands:
        refuse(f"unknown command {args}")
    print(json.dumps(commands[args[0]](args[1:]), indent=2))


main()
