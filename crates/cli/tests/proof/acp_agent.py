"""An agent that speaks the Agent Client Protocol and plays the part named by its first argument."""
import json, os, signal, subprocess, sys, time

part = sys.argv[1]
told = open("told", "a")


def write(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def send(**message):
    write(json.dumps({"jsonrpc": "2.0", **message}))


def update(kind, **fields):
    send(method="session/update", params={"sessionId": "s1", "update": {"sessionUpdate": kind, **fields}})


def say(text):
    for at in range(0, len(text), 7):
        update("agent_message_chunk", content={"type": "text", "text": text[at:at + 7]})


def tool(status, **fields):
    update("tool_call_update", toolCallId="t1", status=status, **fields)


def permission():
    options = [("always", "allow_always"), ("once", "allow_once"), ("no", "reject_once")]
    call = {"toolCallId": "t1", "title": "Removing everything", "kind": "delete", "status": "pending"}
    send(id=77, method="session/request_permission", params={
        "sessionId": "s1", "toolCall": call,
        "options": [{"optionId": one, "kind": kind, "name": one} for one, kind in options]})
    answer = json.loads(sys.stdin.readline())["result"]["outcome"]
    told.write(answer.get("optionId", answer["outcome"]) + "\n")
    told.flush()
    tool("completed" if answer.get("optionId") == "once" else "failed")


def initialize(id, params):
    if part == "mute":
        time.sleep(600)
    if part == "closes":
        os.close(1)
        time.sleep(600)
    send(id=id, result={
        "protocolVersion": 2 if part == "version" else params["protocolVersion"],
        "agentInfo": {"name": "scripted", "version": "1"},
        "authMethods": [{"id": "a", "name": "Account", "description": "Run `scripted login`"}]})


def session(id, params):
    told.write(params["cwd"] + "\n")
    if part == "auth":
        return send(id=id, error={"code": -32000, "message": "Authentication required"})
    models = {"currentModelId": "small", "availableModels": [{"modelId": m, "name": m} for m in ("small", "large")]}
    send(id=id, result={"sessionId": "s1", "models": models})


def set_model(id, params):
    told.write("model " + params["modelId"] + "\n")
    send(id=id, result={})


def prompt(id, params):
    with open("brief.txt", "w") as brief:
        brief.write(params["prompt"][0]["text"])
    promise = "<promise>" + os.environ["RALPH_PROMISE"] + "</promise>"
    if part == "garbage":
        for line in ["Loading…", "{\"jsonrpc\":", "[1,2]", "\x00\x01", "{}", "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":1}"]:
            write(line)
    if part == "dies":
        say("I begin.")
        sys.stdout.flush()
        os._exit(7)
    if part == "limited" and not os.path.exists("limited"):
        open("limited", "w").close()
        return send(id=id, error={"code": 429, "message": "Too many requests, try again in 1s."})
    if part == "refuses":
        return send(id=id, result={"stopReason": "refusal"})
    if part == "asks":
        permission()
    if part == "huge":
        say("x" * 70)
        write("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":\"" + "y" * (20 << 20) + "\"}")
        tool("completed", title="big", rawOutput={"output": "z" * (8 << 20)})
    if part == "early":
        say(promise)
        tool("completed", title="late")
        say("That was a lie.")
        return send(id=id, result={"stopReason": "end_turn"})
    if part in ("works", "deaf"):
        if part == "deaf":
            for one in (signal.SIGINT, signal.SIGTERM):
                signal.signal(one, signal.SIG_IGN)
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        open("begun-1-1", "w").close()
        while part == "deaf" or "session/cancel" not in sys.stdin.readline():
            time.sleep(0.01)
        told.write("cancelled\n")
        told.flush()
        return send(id=id, result={"stopReason": "cancelled"})
    say("All is done.\n\n" + promise)
    send(id=id, result={"stopReason": "end_turn", "usage": {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10}})


answers = {"initialize": initialize, "session/new": session, "session/set_model": set_model, "session/prompt": prompt}
for line in sys.stdin:
    message = json.loads(line)
    answer = answers.get(message.get("method"))
    if answer:
        answer(message["id"], message["params"])
