// ralph's plugin for OpenCode, installed by `ralph install opencode`; `ralph uninstall opencode` removes it.
// It decides nothing: it tells `ralph hook opencode` what happened and does what that answers (docs/hosts.md).
// made with it: __MADE__
import { spawn } from "node:child_process"

const INSTALLED = __RALPH__
const COMMANDS = ["ralph", "ralph-loop", "cancel-ralph"]
const TRIES = 3
const LONGEST_ANSWER = 16 * 1024 * 1024

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** A plugin that OpenCode finds twice, as a file and in its configuration, counts once for each of its clients. */
const atWork = (globalThis[Symbol.for("ralph.opencode")] ??= new WeakMap())

/** Runs ralph with one object on its standard input; the object on its standard output, or nothing. */
function ask(program, told) {
  return new Promise((resolve, reject) => {
    // In a group of its own: what ends the host is no word about the loop.
    const child = spawn(program, ["hook", "opencode"], { cwd: "/", stdio: ["pipe", "pipe", "pipe"], detached: true })
    let out = ""
    let err = ""
    child.on("error", reject)
    child.stdout.setEncoding("utf8")
    child.stderr.setEncoding("utf8")
    child.stdout.on("data", (piece) => (out.length < LONGEST_ANSWER ? (out += piece) : child.kill()))
    child.stderr.on("data", (piece) => (err = (err + piece).slice(0, 4096)))
    child.stdin.on("error", () => {})
    child.on("close", () => resolve({ out, err: err.trim() }))
    child.stdin.end(JSON.stringify(told))
  })
}

export const RalphPlugin = async ({ client, directory }, options) => {
  const other = atWork.get(client)
  if (other) {
    Object.assign(other.options, options)
    return {}
  }
  const me = { options: { ...options } }
  atWork.set(client, me)
  let isOver = false
  const seen = new Set() // sessions whose first message was told
  const manners = new Map() // session -> the agent and model that it was last asked with
  const summaries = new Map() // session -> its summary
  const queues = new Map() // session -> the end of what is being done for it
  const turns = new Map() // session -> counts what makes a delayed action void
  const turn = (id) => turns.get(id) ?? 0
  const supersede = (id) => turns.set(id, turn(id) + 1)

  const log = (message) => client.app.log({ body: { service: "ralph", level: "warn", message } }).catch(() => {})
  const data = async (call) => {
    const { data, error, response } = await call
    if (error === undefined) return data
    const problem = new Error(error?.data?.message ?? error?.message ?? JSON.stringify(error))
    problem.status = response?.status
    throw problem
  }

  /** One thing at a time for a session, in the order in which it happened. */
  const inTurn = (id, work) => {
    const next = (queues.get(id) ?? Promise.resolve()).then(work).catch((problem) => log(String(problem)))
    queues.set(id, next)
    next.finally(() => queues.get(id) === next && queues.delete(id))
    return next
  }

  const tell = async (told) => {
    const event = { v: 1, directory, ...told }
    if (Object.keys(me.options).length > 0) event.options = me.options
    for (const program of [INSTALLED, "ralph"]) {
      if (!program) continue
      try {
        const { out, err } = await ask(program, event)
        if (err) log(err)
        const answer = out ? JSON.parse(out) : { v: 1, actions: [] }
        return answer.v === 1 ? answer.actions : []
      } catch (problem) {
        if (problem?.code !== "ENOENT") {
          log(`${program}: ${problem}`)
          return []
        }
      }
    }
    log("ralph is not where it was when this plugin was installed, nor on the PATH")
    return []
  }

  const texts = (message) =>
    message.parts
      .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
      .map((part) => part.text)
      .join("\n\n")
  const fault = (error) => error && { name: error.name ?? "", message: error.data?.message ?? error.message ?? "" }

  /** What the agent's turn came to, read from the session itself. */
  const idle = async (id) => {
    const messages = await data(client.session.messages({ path: { id }, query: { limit: 100 } }))
    const todo = await data(client.session.todo({ path: { id } })).catch(() => undefined)
    const isUser = (message) => message.info.role === "user"
    const user = messages.findLast((message) => isUser(message) && texts(message))
    if (user) manners.set(id, { agent: user.info.agent, model: user.info.model })
    const spoken = messages.filter((message) => message.info.role === "assistant" && !message.info.summary)
    const last = spoken.at(-1)
    const since = spoken.slice(spoken.findLastIndex((message) => message.info.parentID !== last?.info.parentID) + 1)
    const sum = (count) => since.reduce((all, message) => all + (count(message.info) ?? 0), 0)
    const message = last && {
      id: last.info.id,
      text: texts(last),
      finish: last.info.finish,
      error: fault(last.info.error),
      tools: since.flatMap((message) => message.parts.filter((part) => part.type === "tool").map((part) => part.tool)),
      input_tokens: sum((info) => info.tokens?.input),
      cached_tokens: sum((info) => info.tokens?.cache?.read),
      output_tokens: sum((info) => info.tokens?.output),
      cost_usd: sum((info) => info.cost),
      duration_ms: Math.max(0, (last.info.time.completed ?? 0) - (since[0]?.info.time.created ?? 0)),
    }
    return { event: "idle", session: id, message, todo }
  }

  // What a person asked for meanwhile makes the rest void, and so does an action that failed.
  const perform = async (id, actions) => {
    const own = turn(id)
    for (const action of actions) {
      const session = action.session ?? id
      const expected = session === id ? own : turn(session)
      const stands = () => !isOver && turn(session) === expected
      if (!action.after_ms) {
        if (action.type !== "toast" && !stands()) return
        if ((await act(session, action)) === false) return
        continue
      }
      sleep(action.after_ms).then(() => inTurn(session, async () => stands() && act(session, action)))
    }
  }

  const act = async (id, action) => {
    if (action.type === "toast") {
      const { title, message, variant, duration_ms: duration } = action
      await client.tui.showToast({ body: { title, message, variant, duration } }).catch(() => {})
      return
    }
    const work = { prompt, summarise, new_session: replace, recheck, due }[action.type]
    if (!work) return
    const tries = action.type === "prompt" ? TRIES : 1
    for (let n = 1; ; n++) {
      try {
        await work(id, action)
        return true
      } catch (problem) {
        if (n < tries) {
          await sleep(500 * n)
          continue
        }
        log(`${action.type}: ${problem}`)
        if (action.type === "recheck" || action.type === "due") return false
        const failed = { action: action.type, error: String(problem?.message ?? problem) }
        await perform(id, await tell({ event: "failed", session: id, failed }))
        return false
      }
    }
  }

  const prompt = async (id, { text }) => {
    seen.add(id)
    const { agent, model } = manners.get(id) ?? {}
    await data(client.session.promptAsync({ path: { id }, body: { agent, model, parts: [{ type: "text", text }] } }))
  }

  const summarise = async (id) => {
    const { model } = manners.get(id) ?? {}
    if (!model) throw new Error("the session's model is not known")
    const body = { providerID: model.providerID, modelID: model.modelID }
    await data(client.session.summarize({ path: { id }, body }))
    const messages = await data(client.session.messages({ path: { id }, query: { limit: 20 } }))
    const summary = messages.findLast((message) => message.info.role === "assistant" && message.info.summary)
    if (summary) summaries.set(id, texts(summary))
  }

  const replace = async (id, { title }) => {
    const { id: by } = await data(client.session.create({ body: { title } }))
    seen.add(by)
    if (manners.has(id)) manners.set(by, manners.get(id))
    const summary = summaries.get(id)
    // The loop moves first: what is deleted then is an empty shell. A loop that is no more moves nowhere, and a person's
    // conversation stays.
    const actions = await tell({ event: "replaced", session: id, replaced_by: by, summary })
    if (!actions.some((action) => action.type === "prompt")) {
      await data(client.session.delete({ path: { id: by } }))
      return
    }
    await perform(by, actions)
    const select = { type: "tui.session.select", properties: { sessionID: by } }
    await client.tui.publish({ body: select }).catch(() => {})
    await data(client.session.delete({ path: { id } }))
    for (const known of [manners, summaries, turns]) known.delete(id)
  }

  /** What was put off is asked for again when it is time: by then, a person may have decided otherwise. */
  const due = async (id) => perform(id, await tell({ event: "due", session: id }))

  const recheck = async (id, { only_existence: only }) => {
    try {
      await data(client.session.get({ path: { id } }))
    } catch (problem) {
      if (problem.status !== 404) throw problem
      return await perform(id, await tell({ event: "deleted", session: id, exists: false }))
    }
    if (only) return
    const busy = await data(client.session.status())
    if (!busy[id]) await perform(id, await tell(await idle(id)))
  }

  return {
    dispose: async () => {
      isOver = true
      atWork.delete(client)
    },
    event: async ({ event }) => {
      const { sessionID, info, error } = event.properties ?? {}
      const id = sessionID ?? info?.id
      if (!id) return
      if (event.type === "session.idle") {
        await inTurn(id, async () => perform(id, await tell(await idle(id))))
      } else if (event.type === "session.error") {
        supersede(id)
        await inTurn(id, async () => perform(id, await tell({ event: "error", session: id, error: fault(error) })))
      } else if (event.type === "session.deleted") {
        supersede(id)
        await inTurn(id, async () => perform(id, await tell({ event: "deleted", session: id })))
      }
    },
    "command.execute.before": async ({ command, sessionID: id, arguments: given }, output) => {
      if (!COMMANDS.includes(command)) return
      supersede(id)
      seen.add(id)
      const actions = await tell({ event: "command", session: id, command, arguments: given })
      const brief = actions.find((action) => action.type === "prompt")
      if (brief) output.parts.splice(0, output.parts.length, { type: "text", text: brief.text })
      perform(id, actions.filter((action) => action !== brief))
    },
    "chat.message": async ({ sessionID: id }, output) => {
      if (seen.has(id)) return
      seen.add(id)
      const part = output.parts.findLast((part) => part.type === "text")
      if (!part) return
      try {
        const session = await data(client.session.get({ path: { id } }))
        if (session.parentID) return
        const earlier = await data(client.session.messages({ path: { id }, query: { limit: 20 } }))
        const first = !earlier.some(({ info }) => info.role === "user" && info.id !== output.message?.id)
        const text = output.parts.filter((part) => part.type === "text").map((part) => part.text).join("\n\n")
        const actions = await tell({ event: "message", session: id, message: { text }, first })
        for (const action of actions.filter((action) => action.type === "append")) part.text += action.text
        perform(id, actions.filter((action) => action.type !== "append"))
      } catch (problem) {
        log(String(problem))
      }
    },
    "tool.execute.after": async ({ sessionID: session, tool }) => {
      tell({ event: "tool", session, tool }).catch(() => {})
    },
  }
}
