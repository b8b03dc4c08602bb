#!/usr/bin/env -S python3 -I -S
"""A stand-in for Jira: written from the description of its REST API, not Jira itself.

It plays the cloud (version 3, a name and a token) or a Jira of one's own (version 2, a token), as DIR/.jira/state.json
says, and is strict about paths, methods, headers and what is in a body. Every request is added to DIR/.jira/calls. What
is in DIR/.jira/mischief, a list, is done instead of an answer, one after the other.
"""
import base64
import json
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

HOME = os.path.join(sys.argv[1], ".jira")
TOKEN = "jira-standin-0123456789"
FIELDS = {"summary", "description", "status", "resolution", "priority", "labels", "issuelinks", "issuetype", "parent", "subtasks"}


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def is_document(node):
    """Whether Jira would take it; a text must have characters."""
    kind = node.get("type")
    if kind == "doc":
        return node.get("version") == 1 and set(node) == {"type", "version", "content"} and all(
            one["type"] == "paragraph" and is_document(one) for one in node["content"])
    if kind == "paragraph":
        return all(one["type"] in ("text", "hardBreak") and is_document(one) for one in node["content"])
    if kind == "text":
        return bool(node.get("text")) and set(node) == {"type", "text"}
    return kind == "hardBreak"


class Site:
    def __init__(self):
        with open(f"{HOME}/state.json") as file:
            self.state = json.load(file)
        self.is_cloud = self.state["cloud"]
        self.version = "3" if self.is_cloud else "2"

    def save(self):
        with open(f"{HOME}/state.json.new", "w") as file:
            json.dump(self.state, file)
        os.replace(f"{HOME}/state.json.new", f"{HOME}/state.json")

    def issue(self, key):
        for issue in self.state["issues"]:
            if issue["key"] == key:
                return issue
        raise Refused(404, "Issue does not exist or you do not have permission to see it.")

    def status(self, name):
        return {"name": name, "statusCategory": {"key": self.state["statuses"][name]}}

    def told(self, issue, names):
        fields = {}
        for name in names:
            value = issue.get(name)
            if name == "status":
                value = self.status(value)
            elif name == "issuelinks":
                value = [self.link(one) for one in value or []]
            elif name == "description" and value and self.is_cloud:
                paragraph = {"type": "paragraph", "content": [{"type": "text", "text": value}]}
                value = {"type": "doc", "version": 1, "content": [paragraph]}
            fields[name] = value
        return {"id": issue["id"], "key": issue["key"], "self": "x", "fields": fields}

    def link(self, key):
        other = self.issue(key)
        kind = {"name": "Blocks", "inward": "is blocked by", "outward": "blocks"}
        return {"type": kind, "inwardIssue": {"key": key, "fields": {"status": self.status(other["status"])}}}

    def search(self, body, is_new):
        allowed = {"jql", "maxResults", "fields"} | ({"nextPageToken", "reconcileIssues"} if is_new else {"startAt"})
        if set(body) - allowed:
            raise Refused(400, "Invalid request payload. Refer to the REST API documentation and try again.")
        asked = re.fullmatch(r'project = "(\w+)"(?: AND \((labels = \w+)\))? ORDER BY created ASC', body["jql"])
        if not asked:
            raise Refused(400, f"Error in the JQL Query: {body['jql']}")
        if asked[1].upper() != self.state["project"]["key"]:
            raise Refused(400, f"The value '{asked[1]}' does not exist for the field 'project'.")
        if not all(isinstance(number, int) for number in body.get("reconcileIssues", [])):
            raise Refused(400, "reconcileIssues must be numbers")
        if set(body["fields"]) - FIELDS or not 1 <= body["maxResults"] <= 100:
            raise Refused(400, "unknown field or too many results")
        found = [one for one in self.state["issues"] if not asked[2] or asked[2].split()[-1] in one.get("labels", [])]
        begin = int(body.get("nextPageToken", "t0")[1:]) if is_new else body["startAt"]
        end = begin + min(body["maxResults"], self.state.get("page", 100))
        page = {"issues": [self.told(one, body["fields"]) for one in found[begin:end]]}
        if is_new:
            page["isLast"] = end >= len(found)
            if end < len(found):
                page["nextPageToken"] = f"t{end}"
        else:
            page.update(startAt=begin, maxResults=end - begin, total=len(found))
        return 200, page

    def transitions(self, issue):
        ways = self.state["ways"].get(issue["status"], [])
        return [{"id": str(no), "name": f"to {name}", "to": self.status(name),
                 "fields": self.state.get("screens", {}).get(name, {})} for no, name in ways]

    def take(self, issue, body):
        if set(body) - {"transition", "fields"} or set(body["transition"]) != {"id"}:
            raise Refused(400, "unknown field")
        ways = {one["id"]: one for one in self.transitions(issue)}
        way = ways.get(body["transition"]["id"])
        if way is None:
            raise Refused(400, "It seems that you have tried to perform a workflow operation that is not valid.")
        screen, given = way["fields"], body.get("fields", {})
        if set(given) - set(screen):
            raise Refused(400, "Field cannot be set. It is not on the appropriate screen, or unknown.")
        for name, field in screen.items():
            if field["required"] and name not in given:
                raise Refused(400, f"{name} is required.")
        issue["status"] = way["to"]["name"]
        issue["resolution"] = None
        if "resolution" in given:
            values = {one["id"]: one for one in screen["resolution"]["allowedValues"]}
            issue["resolution"] = values[given["resolution"]["id"]]
        self.save()
        return 204, None

    def comment(self, issue, body):
        if set(body) != {"body"}:
            raise Refused(400, "unknown field")
        text = body["body"]
        if not (is_document(text) if self.is_cloud else isinstance(text, str) and text):
            raise Refused(400, "Comment body is not valid!")
        comments = issue.setdefault("comments", [])
        comments.append({"id": str(len(comments) + 1), "body": text})
        self.save()
        return 201, comments[-1]

    def answer(self, method, path, query, body):
        base = f"/rest/api/{self.version}/"
        if not path.startswith(base):
            raise Refused(404, "no such resource")
        parts = path[len(base):].split("/")
        match (method, parts):
            case ("POST", ["search", "jql"]) if self.is_cloud:
                return self.search(body, True)
            case ("POST", ["search"]) if not self.is_cloud:
                return self.search(body, False)
            case ("GET", ["project", key]) if key.upper() == self.state["project"]["key"]:
                return 200, self.state["project"]
            case ("GET", ["issue", key]):
                return 200, self.told(self.issue(key), query["fields"][0].split(","))
            case ("GET", ["issue", key, "transitions"]):
                ways = self.transitions(self.issue(key))
                if query.get("expand") != ["transitions.fields"]:
                    ways = [{**way, "fields": {}} for way in ways]
                return 200, {"transitions": ways}
            case ("POST", ["issue", key, "transitions"]):
                return self.take(self.issue(key), body)
            case ("GET", ["issue", key, "comment"]):
                comments = list(reversed(self.issue(key).get("comments", [])))
                return 200, {"comments": comments[:int(query["maxResults"][0])], "total": len(comments)}
            case ("POST", ["issue", key, "comment"]):
                return self.comment(self.issue(key), body)
        raise Refused(404, "no such resource")


class Jira(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, headers=None):
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def mischief(self):
        path = f"{HOME}/mischief"
        if not os.path.exists(path):
            return None
        with open(path) as file:
            left = json.load(file)
        if not left:
            return None
        with open(path, "w") as file:
            json.dump(left[1:], file)
        return left[0]

    def handle_it(self, method):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        trick = self.mischief()
        if trick == "cut":
            self.close_connection = True
            return
        if trick and "status" in trick:
            self.reply(trick["status"], trick.get("body", "").encode(), trick.get("headers"))
            return
        url = urlsplit(self.path)
        try:
            site = Site()
            basic = "Basic " + base64.b64encode(f"ann@example.com:{TOKEN}".encode()).decode()
            if self.headers["Authorization"] != (basic if site.is_cloud else f"Bearer {TOKEN}"):
                raise Refused(401, f"Client must be authenticated, not {self.headers['Authorization']}")
            if method == "POST" and self.headers["Content-Type"] != "application/json":
                raise Refused(415, "Unsupported Media Type")
            with open(f"{HOME}/calls", "a") as file:
                file.write(f"{method} {url.path}\n")
            status, told = site.answer(method, url.path, parse_qs(url.query), json.loads(body) if body else None)
        except Refused as refused:
            self.reply(refused.status, {"errorMessages": [str(refused)], "errors": {}})
            return
        if trick == "lose":
            self.close_connection = True
            return
        self.reply(status, told)

    def do_GET(self):
        self.handle_it("GET")

    def do_POST(self):
        self.handle_it("POST")


server = ThreadingHTTPServer(("127.0.0.1", 0), Jira)
print(server.server_address[1], flush=True)
server.serve_forever()
