#!/usr/bin/env -S python3 -I -S
"""A stand-in for Linear: written from the description of its API, not Linear itself.

It is strict: whatever its schema below does not have is refused, as Linear does, and so is a query that is more complex
than Linear takes. The workspace is in DIR/.linear/state.json; every operation is added to DIR/.linear/calls. What is in
DIR/.linear/mischief, a list, is done instead of an answer, one after the other.
"""
import json
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOME = os.path.join(sys.argv[1], ".linear")
KEY = "lin_api_standin0123456789"
PAGED = {"first", "after"}

# Of each type its fields: of what type they are, and which arguments they take. A type with [] is a connection.
SCHEMA = {
    "Query": {
        "issues": ("Issue[]", PAGED | {"filter", "orderBy"}),
        "issue": ("Issue", {"id"}),
        "teams": ("Team[]", PAGED | {"filter"}),
    },
    "Mutation": {
        "issueUpdate": ("Payload", {"id", "input"}),
        "commentCreate": ("Payload", {"input"}),
    },
    "Payload": {"success": None, "lastSyncId": None},
    "Issue": {
        **dict.fromkeys(["id", "identifier", "number", "title", "description", "priority", "url", "branchName"]),
        "state": ("State", set()),
        "team": ("Team", set()),
        "parent": ("Issue", set()),
        "project": ("Project", set()),
        "labels": ("Label[]", PAGED | {"filter"}),
        "relations": ("Relation[]", PAGED),
        "inverseRelations": ("Relation[]", PAGED),
        "comments": ("Comment[]", PAGED | {"filter"}),
    },
    "State": dict.fromkeys(["id", "name", "type", "position"]),
    "Team": {**dict.fromkeys(["id", "key", "name", "description"]), "states": ("State[]", PAGED | {"filter"})},
    "Project": dict.fromkeys(["id", "slugId", "name", "description"]),
    "Label": dict.fromkeys(["id", "name"]),
    "Relation": {"id": None, "type": None, "issue": ("Issue", set()), "relatedIssue": ("Issue", set())},
    "Comment": dict.fromkeys(["id", "body"]),
}
INPUTS = {"IssueFilter", "String", "ID", "CommentCreateInput"}


class Refused(Exception):
    def __init__(self, message, code="GRAPHQL_VALIDATION_FAILED", status=400):
        super().__init__(message)
        self.code, self.status = code, status


class Query:
    """A document with one operation, parsed."""

    def __init__(self, text):
        self.tokens = re.findall(r'"[^"]*"|\$?\w+|[{}()\[\]:!,]', text)
        self.kind, self.name = self.take(), self.take()
        if self.kind not in ("query", "mutation"):
            raise Refused(f"Syntax Error: Unexpected {self.kind}")
        self.variables = {}
        if self.accept("("):
            while not self.accept(")"):
                name = self.take()
                self.expect(":")
                kind = self.take()
                if kind not in INPUTS:
                    raise Refused(f'Unknown type "{kind}".')
                self.variables[name[1:]] = (kind, self.accept("!"))
                self.accept(",")
        self.fields = self.selection()
        if self.tokens:
            raise Refused("Syntax Error: Unexpected Name")

    def take(self):
        if not self.tokens:
            raise Refused("Syntax Error: Unexpected <EOF>.")
        return self.tokens.pop(0)

    def accept(self, token):
        if self.tokens and self.tokens[0] == token:
            return bool(self.tokens.pop(0))
        return False

    def expect(self, token):
        if not self.accept(token):
            raise Refused(f'Syntax Error: Expected "{token}"')

    def selection(self):
        self.expect("{")
        fields = []
        while not self.accept("}"):
            name, arguments, below = self.take(), {}, None
            if self.accept("("):
                while not self.accept(")"):
                    key = self.take()
                    self.expect(":")
                    arguments[key] = self.value()
                    self.accept(",")
            if self.tokens and self.tokens[0] == "{":
                below = self.selection()
            fields.append((name, arguments, below))
        return fields

    def value(self):
        if self.accept("{"):
            found = {}
            while not self.accept("}"):
                key = self.take()
                self.expect(":")
                found[key] = self.value()
                self.accept(",")
            return found
        token = self.take()
        return int(token) if token.isdigit() else token

    def filled(self, value, given):
        if isinstance(value, dict):
            return {key: self.filled(one, given) for key, one in value.items()}
        if isinstance(value, str) and value.startswith("$"):
            if value[1:] not in self.variables:
                raise Refused(f'Variable "{value}" is not defined.')
            return given.get(value[1:])
        return value


def complexity(kind, fields):
    points = 0.0
    for name, arguments, below in fields:
        if name not in SCHEMA[kind]:
            raise Refused(f'Cannot query field "{name}" on type "{kind}".')
        known = SCHEMA[kind][name]
        if known is None:
            if arguments or below is not None:
                raise Refused(f'Field "{name}" must not have a selection.')
            points += 0.1
            continue
        if below is None:
            raise Refused(f'Field "{name}" must have a selection of subfields.')
        for argument in arguments:
            if argument not in known[1]:
                raise Refused(f'Unknown argument "{argument}" on field "{kind}.{name}".')
        if not known[0].endswith("[]"):
            points += 1 + complexity(known[0], below)
            continue
        first = arguments.get("first", 50)
        if not 1 <= first <= 250:
            raise Refused("Argument Validation Error", "INPUT_ERROR")
        for part, _, inner in below:
            if part == "nodes":
                points += first * (1 + complexity(known[0][:-2], inner))
            elif part != "pageInfo" or any(one[0] not in ("hasNextPage", "endCursor") for one in inner):
                raise Refused(f'Cannot query field "{part}" on a connection.')
    return points


def matches(value, wanted):
    """Whether something is as a filter has it."""
    for key, one in wanted.items():
        if key == "or":
            good = any(matches(value, each) for each in one)
        elif key == "eq":
            good = value == one
        elif key == "eqIgnoreCase":
            good = isinstance(value, str) and value.lower() == one.lower()
        elif isinstance(value, dict) and key in value:
            good = value[key] is not None and matches(value[key], one)
        else:
            raise Refused(f'Field "{key}" is not defined by the filter.')
        if not good:
            return False
    return True


class Workspace:
    def __init__(self):
        with open(f"{HOME}/state.json") as file:
            self.state = json.load(file)

    def save(self):
        with open(f"{HOME}/state.json.new", "w") as file:
            json.dump(self.state, file)
        os.replace(f"{HOME}/state.json.new", f"{HOME}/state.json")

    def issue(self, name):
        for issue in self.state["issues"]:
            if name in (issue["id"], issue["identifier"]):
                return issue
        return None

    def resolved(self, kind, thing, field):
        if kind != "Issue":
            if kind == "Relation" and field in ("issue", "relatedIssue"):
                return self.issue(thing[field])
            if kind == "Team" and field == "states":
                return self.state["states"]
            return thing[field]
        if field == "state":
            return next(state for state in self.state["states"] if state["id"] == thing["state"])
        if field == "team":
            return self.state["team"]
        if field == "parent":
            return self.issue(thing["parent"]) if thing.get("parent") else None
        if field == "relations":
            return [one for one in self.state["relations"] if one["issue"] == thing["identifier"]]
        if field == "inverseRelations":
            return [one for one in self.state["relations"] if one["relatedIssue"] == thing["identifier"]]
        return thing.get(field, [] if field in ("labels", "comments") else None)

    def filterable(self, issue):
        return {**issue, "team": self.state["team"]}

    def project(self, kind, thing, fields):
        if thing is None:
            return None
        told = {}
        for name, arguments, below in fields:
            known = SCHEMA[kind][name]
            value = self.resolved(kind, thing, name)
            if known is None:
                told[name] = value
            elif known[0].endswith("[]"):
                told[name] = self.connection(known[0][:-2], value, arguments, below)
            else:
                told[name] = self.project(known[0], value, below)
        return told

    def connection(self, kind, things, arguments, below):
        wanted = arguments.get("filter") or {}
        seen = self.filterable if kind == "Issue" else (lambda thing: thing)
        things = [thing for thing in things if matches(seen(thing), wanted)]
        begin = int(arguments["after"][1:]) if arguments.get("after") else 0
        end = begin + min(arguments.get("first", 50), self.state.get("page", 250) if kind == "Issue" else 250)
        told = {}
        for name, _, inner in below:
            if name == "nodes":
                told[name] = [self.project(kind, thing, inner) for thing in things[begin:end]]
            else:
                more = end < len(things)
                told[name] = {"hasNextPage": more, "endCursor": f"c{end}" if things else None}
        return told

    def query(self, fields):
        told = {}
        for name, arguments, below in fields:
            if name == "issue":
                issue = self.issue(arguments["id"])
                if issue is None:
                    raise Refused("Entity not found: Issue", "INPUT_ERROR")
                told[name] = self.project("Issue", issue, below)
            elif name == "issues":
                newest = list(reversed(self.state["issues"]))
                told[name] = self.connection("Issue", newest, arguments, below)
            else:
                told[name] = self.connection("Team", [self.state["team"]], arguments, below)
        return told

    def mutate(self, fields):
        (name, arguments, _), = fields
        given = arguments["input"]
        if name == "issueUpdate":
            issue = self.issue(arguments["id"])
            if issue is None or set(given) != {"stateId"}:
                raise Refused("Argument Validation Error", "INPUT_ERROR")
            if given["stateId"] not in [state["id"] for state in self.state["states"]]:
                raise Refused("stateId must be a state of the team", "INPUT_ERROR")
            issue["state"] = given["stateId"]
        else:
            if set(given) != {"id", "issueId", "body"} or not given["body"]:
                raise Refused("Argument Validation Error", "INPUT_ERROR")
            if not re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", given["id"]):
                raise Refused("id must be a UUID", "INPUT_ERROR")
            comments = self.issue(given["issueId"]).setdefault("comments", [])
            if given["id"] in [comment["id"] for comment in comments]:
                raise Refused("Entity already exists", "INPUT_ERROR")
            comments.append({"id": given["id"], "body": given["body"]})
        self.save()
        return {name: {"success": True}}


def answer(body):
    if set(body) != {"operationName", "query", "variables"}:
        raise Refused("Invalid request body")
    query = Query(body["query"])
    if query.name != body["operationName"]:
        raise Refused(f'Unknown operation named "{body["operationName"]}".')
    with open(f"{HOME}/calls", "a") as file:
        file.write(query.name + "\n")
    for name, (_, needed) in query.variables.items():
        if needed and body["variables"].get(name) is None:
            raise Refused(f'Variable "${name}" of required type was not provided.')
    if set(body["variables"]) - set(query.variables):
        raise Refused("Unknown variable")
    if complexity(query.kind.capitalize(), query.fields) > 10_000:
        raise Refused("Query too complex", "INPUT_ERROR")
    fields = [(name, query.filled(arguments, body["variables"]), below) for name, arguments, below in query.fields]
    # Arguments of inner fields are few, and filled the same way.
    def inner(below):
        return below and [(n, query.filled(a, body["variables"]), inner(b)) for n, a, b in below]
    fields = [(name, arguments, inner(below)) for name, arguments, below in fields]
    workspace = Workspace()
    return workspace.query(fields) if query.kind == "query" else workspace.mutate(fields)


class Linear(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body, headers=None):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
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

    def do_GET(self):
        self.reply(400, {"errors": [{"message": "GET query missing."}]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        trick = self.mischief()
        if trick == "cut":
            self.close_connection = True
            return
        if trick and "status" in trick:
            self.reply(trick["status"], trick.get("body", "").encode(), trick.get("headers"))
            return
        try:
            if self.path != "/graphql":
                raise Refused("Not found", "NOT_FOUND", 404)
            if self.headers["Authorization"] != KEY:
                raise Refused(f"Authentication required, not {self.headers['Authorization']}", "AUTHENTICATION_ERROR", 401)
            if self.headers["Content-Type"] != "application/json":
                raise Refused("Content-Type must be application/json")
            data = answer(json.loads(body))
        except Refused as refused:
            extensions = {"code": refused.code, "userPresentableMessage": str(refused)}
            self.reply(refused.status, {"errors": [{"message": str(refused), "extensions": extensions}]})
            return
        if trick == "lose":
            self.close_connection = True
            return
        self.reply(200, {"data": data})


server = ThreadingHTTPServer(("127.0.0.1", 0), Linear)
print(server.server_address[1], flush=True)
server.serve_forever()
