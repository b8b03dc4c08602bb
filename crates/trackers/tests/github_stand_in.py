#!/usr/bin/env -S python3 -I -S
"""A stand-in for GitHub, for a real `gh` that reaches it as its proxy: written from the queries that `gh` sends.

It answers with everything that an issue has, and `gh` takes what it asked for. A query that it does not know is an
error. The repository is in .gh/state.json below the directory that is given; the port is printed.
"""
import json
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

PATH = os.path.join(sys.argv[1], ".gh", "state.json")


def load():
    with open(PATH) as file:
        return json.load(file)


def save(state):
    with open(PATH, "w") as file:
        json.dump(state, file)


def nodes(found):
    page = {"hasNextPage": False, "endCursor": None}
    return {"nodes": found, "totalCount": len(found), "pageInfo": page}


def label(name):
    return {"id": f"L-{name}", "name": name, "description": "", "color": "ffffff"}


def shown(issue):
    kind = "PullRequest" if "/pull/" in issue["url"] else "Issue"
    named = [label(one["name"]) for one in issue["labels"]]
    known = {key: value for key, value in issue.items() if key != "comments"}
    return {**known, "__typename": kind, "id": f"I-{issue['number']}", "labels": nodes(named)}


def by_id(state, key):
    return next(one for one in state["issues"] if f"I-{one['number']}" == key)


def issue_by_number(state, variables):
    number = variables["number"]
    for one in state["issues"]:
        if one["number"] == number:
            return {"repository": {"hasIssuesEnabled": True, "issue": shown(one)}}
    message = f"Could not resolve to an issue or pull request with the number of {number}."
    wrong = {"message": message, "type": "NOT_FOUND", "path": ["repository", "issue"]}
    return {"data": {"repository": {"hasIssuesEnabled": True, "issue": None}}, "errors": [wrong]}


def issue_list(state, variables):
    found = [shown(one) for one in state["issues"] if one["state"] in variables["states"]]
    found = [one for one in found if one["__typename"] == "Issue"]
    found.sort(key=lambda one: -one["number"])
    return {"repository": {"hasIssuesEnabled": True, "issues": nodes(found[: variables["limit"]])}}


def close(state, variables):
    issue = by_id(state, variables["input"]["issueId"])
    issue["state"] = "CLOSED"
    issue["stateReason"] = variables["input"].get("stateReason") or "COMPLETED"
    save(state)
    return {"closeIssue": {"issue": {"id": f"I-{issue['number']}"}}}


def reopen(state, variables):
    issue = by_id(state, variables["input"]["issueId"])
    issue["state"], issue["stateReason"] = "OPEN", "REOPENED"
    save(state)
    return {"reopenIssue": {"issue": {"id": f"I-{issue['number']}"}}}


def comment(state, variables):
    issue = by_id(state, variables["input"]["subjectId"])
    issue.setdefault("comments", []).append(variables["input"]["body"])
    save(state)
    return {"addComment": {"commentEdge": {"node": {"url": issue["url"] + "#1"}}}}


def add_labels(state, variables):
    issue = by_id(state, variables["input"]["labelableId"])
    have = [one["name"] for one in issue["labels"]]
    new = [key.removeprefix("L-") for key in variables["input"]["labelIds"]]
    issue["labels"] += [{"name": name} for name in new if name not in have]
    save(state)
    return {"addLabelsToLabelable": {"__typename": "x"}}


def remove_labels(state, variables):
    issue = by_id(state, variables["input"]["labelableId"])
    gone = [key.removeprefix("L-") for key in variables["input"]["labelIds"]]
    issue["labels"] = [one for one in issue["labels"] if one["name"] not in gone]
    save(state)
    return {"removeLabelsFromLabelable": {"__typename": "x"}}


def labels(state, _):
    return {"repository": {"labels": nodes([label(name) for name in state["labels"]])}}


def names_of_labels(state, _):
    """To a query that is answered with what it asked for and nothing else."""
    found = nodes([{"id": f"L-{name}", "name": name} for name in state["labels"]])
    return {"repository": {"labels": {"nodes": found["nodes"], "pageInfo": found["pageInfo"]}}}


def repository(_state, _):
    return {"repository": {"nameWithOwner": "o/r", "name": "r", "owner": {"login": "o"}, "description": "All of it"}}


def schema(_state, _):
    """What kind of GitHub this is: one that knows why an issue was closed."""
    fields = nodes([])["nodes"] + [{"name": "stateReason"}]
    return {"Issue": {"fields": fields}, "Repository": {"fields": []}, "ClosedEventType": {"fields": []}}


ANSWERS = {
    "IssueByNumber": issue_by_number,
    "IssueList": issue_list,
    "IssueClose": close,
    "CloseIssue": close,
    "IssueReopen": reopen,
    "CommentCreate": comment,
    "LabelAdd": add_labels,
    "LabelRemove": remove_labels,
    "LabelList": labels,
    "RepositoryLabelList": names_of_labels,
    "RepositoryInfo": repository,
    "Issue_fields": schema,
}


class Answering(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        found = re.search(r"(?:query|mutation)\s+(\w+)", sent["query"])
        name = found.group(1) if found else ""
        if name in ANSWERS:
            answer = ANSWERS[name](load(), sent.get("variables") or {})
            answer = answer if "errors" in answer else {"data": answer}
        else:
            answer = {"errors": [{"message": f"the stand-in does not know: {sent['query'][:400]}"}]}
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


# One at a time: `gh` puts labels on and takes others off at once.
server = HTTPServer(("127.0.0.1", 0), Answering)
print(server.server_port, flush=True)
server.serve_forever()
