// ralph's plugin for OpenCode, installed by `ralph install opencode`; `ralph uninstall opencode` removes it.
// It decides nothing: it tells `ralph hook opencode` what happened and does what that answers (docs/hosts.md).
// made with it: __MADE__
// content __SEAL__
const INSTALLED = __RALPH__
const COMMANDS = ["ralph", "ralph-loop", "cancel-ralph"]
const TOOL = "task_complete"
const ABORTS = ["MessageAbortedError", "AbortError"]
const LEAVING_MS = 1_000
const TRIES = 3
/** When ralph is asked again that gave no answer; then the person is told. */
const AGAIN_MS = [1_000, 5_000, 20_000]
const LONGEST_TURN = 25_600
const LOOK = "`ralph doctor` looks for the cause"
/** ralph drives this OpenCode itself, and has put its own tool into it. */
const IS_DRIVEN = Boolean(process.env.RALPH_RUN)

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** A plugin that OpenCode finds twice, as a file and in its configuration, counts once for each of its clients. */
const atWork = (globalThis[Symbol.for("ralph.opencode")] ??= new WeakMap())

/** Nothing, where it is no JSON. */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {}
}

/** How long a provider asks to be left alone. */
function retryAfter(headers) {
  const ms = Number.parseFloat(headers?.["retry-after-ms"])
  const given = headers?.["retry-after"]
  const seconds = /^[\d.]+$/.test(given ?? "") ? Number(given) * 1_000 : Date.parse(given) - Date.now()
  const found = Number.isFinite(ms) ? ms : seconds
  return found >= 0 ? Math.ceil(found) : undefined
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
  const running = new Set() // hooks under way
  const seen = new Set() // sessions whose first message was told
  const owners = new Map() // session -> whose it is
  const wanting = new Set() // sessions with a loop that the tool completes
  const told = new Set() // sessions whose person was told that ralph gives no answer
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

  const toast = (body) => client.tui.showToast({ body }).catch(() => {})

  /** A person's own, a subagent's, or one that ralph drives from outside: a loop lives only in the first. */
  const owner = async (id) => {
    if (IS_DRIVEN) return "person"
    if (!owners.has(id)) {
      const { metadata, parentID } = await data(client.session.get({ path: { id } }))
      owners.set(id, metadata?.ralph ? "ralph" : parentID ? "agent" : "person")
    }
    return owners.get(id)
  }

  const isBusy = async (id) => Boolean((await data(client.session.status()))[id])

  /** Asks ralph once: what is to be done, or an error that says why nobody knows. */
  const ask = async (id, what) => {
    const event = { v: 1, directory, ...what }
    if (Object.keys(me.options).length > 0) event.options = me.options
    for (const program of [INSTALLED, "ralph"]) {
      if (!program) continue
      let ran
      try {
        ran = await run(program, event, running)
      } catch (problem) {
        if (problem?.code === "ENOENT") continue
        throw new Error(`${program} cannot be started: ${problem?.message ?? problem}`)
      }
      const { out, err, isWell, how } = ran
      if (err) log(err)
      if (!isWell && !out) throw new Error(err ? err.replace(/^ralph: /, "") : `${program} gave no answer: ${how}`)
      const answer = out ? parsed(out) : { v: 1, actions: [] }
      if (answer?.v !== 1) throw new Error(`${program} gave an answer that is none; \`ralph install opencode\` mends it`)
      told.delete(id)
      if (out) answer.tool ? wanting.add(id) : wanting.delete(id)
      return answer.actions
    }
    throw new Error("ralph is neither where it was nor on the PATH; `ralph install opencode` mends it")
  }

  /** Once, until ralph answers again: a loop that stands still does so in silence otherwise. */
  const complain = async (id, problem, next) => {
    if (told.has(id)) return
    told.add(id)
    const message = `${problem?.message ?? problem}; ${next}`
    await toast({ title: "ralph: no answer", message, variant: "error", duration: 10_000 })
  }

  /** Asks until there is an answer; what happened is read anew each time. */
  const tell = async (id, what) => {
    for (const delay of [...AGAIN_MS, undefined]) {
      try {
        return await ask(id, await what())
      } catch (problem) {
        if (isOver || problem?.status === 404) return []
        log(String(problem?.message ?? problem))
        if (delay === undefined) {
          await complain(id, problem, `a loop in this session waits for its next turn; ${LOOK}`)
          return []
        }
      }
      await sleep(delay)
      // A session that is at work again is told of when it is through.
      if (isOver || (await isBusy(id).catch(() => false))) return []
    }
  }

  /** Tells what happened, and does what follows unless a person asks for something else meanwhile. */
  const hear = async (id, what) => {
    const own = turn(id)
    return await perform(id, await tell(id, what), own)
  }

  const texts = (message) =>
    message.parts
      .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
      .map((part) => part.text)
      .join("\n\n")
  const fault = (error) =>
    error && {
      name: error.name ?? "",
      message: error.data?.message ?? error.message ?? "",
      status: error.data?.statusCode,
      retry_after_ms: retryAfter(error.data?.responseHeaders),
    }

  const isUser = (message) => message.info.role === "user"
  /** What somebody asked for; a summary is begun by OpenCode itself, and so is what goes on after it. */
  const isAsked = (message) => isUser(message) && message.parts.some((part) => !part.synthetic && part.type !== "compaction")
  /** What a person typed after `!` is no part of the agent's turn. */
  const isShell = ({ info, parts }) =>
    !info.finish && !info.error && parts.length > 0 && parts.every((part) => part.type === "tool")

  /** A session's last turn, whole, with what it was asked. */
  const lastTurn = async (id) => {
    for (let limit = 100; ; limit *= 4) {
      const messages = await data(client.session.messages({ path: { id }, query: { limit } }))
      const begin = messages.findLastIndex(isAsked)
      if (begin < 0 && messages.length >= limit && limit < LONGEST_TURN) continue
      const user = messages.findLast((message) => isUser(message) && texts(message))
      const rest = messages.slice(begin + 1).filter((message) => !isUser(message) && !message.info.summary)
      return { user, spoken: rest.filter((message) => !isShell(message)) }
    }
  }

  /** What the agent's turn came to, read from the session itself. */
  const idle = async (id) => {
    const { user, spoken } = await lastTurn(id)
    const todo = await data(client.session.todo({ path: { id } })).catch(() => undefined)
    if (user) manners.set(id, { agent: user.info.agent, model: user.info.model })
    const last = spoken.at(-1)
    const sum = (count) => spoken.reduce((all, message) => all + (count(message.info) ?? 0), 0)
    const tools = spoken.flatMap((message) => message.parts.filter((part) => part.type === "tool"))
    const message = last && {
      id: last.info.id,
      text: texts(last),
      finish: last.info.finish,
      error: fault(last.info.error),
      tools: tools.map((part) => part.tool),
      tools_failed: tools.filter((part) => part.state?.status === "error").map((part) => part.tool),
      input_tokens: sum((info) => info.tokens?.input),
      cached_tokens: sum((info) => info.tokens?.cache?.read),
      output_tokens: sum((info) => info.tokens?.output),
      cost_usd: sum((info) => info.cost),
      duration_ms: Math.max(0, (last.info.time.completed ?? 0) - (spoken[0].info.time.created ?? 0)),
    }
    return { event: "idle", session: id, message, todo }
  }

  // What a person asked for meanwhile makes the rest void, and so does an action that failed. True if all was done that
  // was to be done at once.
  const perform = async (id, actions, own = turn(id)) => {
    for (const action of actions) {
      const session = action.session ?? id
      const expected = session === id ? own : turn(session)
      const stands = () => !isOver && turn(session) === expected
      if (isOver) return false
      if (!action.after_ms) {
        if (action.type !== "toast" && !stands()) return false
        if ((await act(session, action)) === false) return false
        continue
      }
      sleep(action.after_ms).then(() => inTurn(session, async () => stands() && act(session, action)))
    }
    return true
  }

  const act = async (id, action) => {
    if (action.type === "toast") {
      const { title, message, variant, duration_ms: duration } = action
      await toast({ title, message, variant, duration })
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
        await hear(id, () => ({ event: "failed", session: id, failed }))
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
    const begun = Date.now()
    const { id: by } = await data(client.session.create({ body: { title } }))
    seen.add(by)
    if (manners.has(id)) manners.set(by, manners.get(id))
    if (wanting.has(id)) wanting.add(by)
    const summary = summaries.get(id)
    // The loop moves first: what is deleted then is an empty shell. A loop that is no more moves nowhere, and a person's
    // conversation stays.
    const actions = await ask(id, { event: "replaced", session: id, replaced_by: by, summary })
    if (!actions.some((action) => action.type === "prompt")) {
      await data(client.session.delete({ path: { id: by } }))
      return
    }
    // Nothing is deleted for a session that did not take the brief; the loop has been told.
    if (!(await perform(by, actions))) return
    const select = { type: "tui.session.select", properties: { sessionID: by } }
    await client.tui.publish({ body: select }).catch(() => {})
    if (await isWanted(id, begun).catch(() => true)) return log(`session ${id} stays: somebody speaks there`)
    await data(client.session.delete({ path: { id } })).catch((problem) => log(`session ${id} stays: ${problem}`))
    forget(id)
  }

  /** Whoever speaks in a session keeps it; and what is deleted while its agent is at work goes on unseen. */
  const isWanted = async (id, since) => {
    const messages = await data(client.session.messages({ path: { id }, query: { limit: 5 } }))
    return messages.some((message) => isAsked(message) && message.info.time.created > since) || (await isBusy(id))
  }

  const forget = (id) => [manners, summaries, turns, owners, wanting, told, seen].forEach((known) => known.delete(id))

  /** What was put off is asked for again when it is time: by then, a person may have decided otherwise. */
  const due = (id) => hear(id, () => ({ event: "due", session: id }))

  const recheck = async (id, { only_existence: only }) => {
    try {
      await data(client.session.get({ path: { id } }))
    } catch (problem) {
      // Only the session itself can say that it does not exist.
      if (problem.status !== 404) throw problem
      return await hear(id, () => ({ event: "deleted", session: id, exists: false }))
    }
    if (only) return
    if (!(await isBusy(id))) await hear(id, () => idle(id))
  }

  /** What ralph has to say of the first message of a session, or of the first since OpenCode was started. */
  const greet = async (id, output) => {
    const part = output.parts.findLast((part) => part.type === "text")
    if (seen.has(id) || !part) return
    seen.add(id)
    if ((await owner(id)) !== "person") return
    const earlier = await data(client.session.messages({ path: { id }, query: { limit: 20 } }))
    const first = !earlier.some(({ info }) => info.role === "user" && info.id !== output.message?.id)
    const text = output.parts.filter((part) => part.type === "text").map((part) => part.text).join("\n\n")
    const actions = await ask(id, { event: "message", session: id, message: { text }, first })
    for (const action of actions.filter((action) => action.type === "append")) part.text += action.text
    perform(id, actions.filter((action) => action.type !== "append"))
  }

  const tool = {
    description: "Say that the task is done. Call it once, when everything is done and checked.",
    args: {},
    execute: async (_, { sessionID: id }) =>
      wanting.has(id) || owners.get(id) === "ralph"
        ? "It is noted that the task is done. End with a short account of what you did."
        : "No loop in this session is completed by this tool; nothing is noted. Go on as you were asked.",
  }

  /** What an agent does that ralph drives is kept beside what it prints; in a loop, the turn's end says it all. */
  const keep = async ({ sessionID: session, tool }) => {
    ask(session, { event: "tool", session, tool }).catch(() => {})
  }

  return {
    // A hook that is judging a turn comes to its end by itself, and nobody waits for it or acts on it.
    dispose: async () => {
      isOver = true
      atWork.delete(client)
      for (const child of running) child.unref()
    },
    event: async ({ event }) => {
      const { sessionID, info, error } = event.properties ?? {}
      const id = sessionID ?? info?.id
      const what = {
        "session.idle": () => idle(id),
        "session.error": () => ({ event: "error", session: id, error: fault(error) }),
        "session.deleted": () => ({ event: "deleted", session: id }),
      }[event.type]
      if (!id || !what) return
      if (event.type !== "session.idle") supersede(id)
      await inTurn(id, async () => {
        // Whoever closes OpenCode ends its turns as well, and means no loop by it.
        const own = turn(id)
        if (ABORTS.includes(error?.name)) await sleep(LEAVING_MS)
        if (isOver || turn(id) !== own) return
        // What is under way by now ends by itself, and is told of then.
        if (event.type === "session.idle" && (await isBusy(id).catch(() => false))) {
          sleep(LEAVING_MS).then(() => inTurn(id, () => isOver || recheck(id, {})))
          return
        }
        if ((await owner(id).catch(() => "person")) === "person") await hear(id, what)
        if (event.type !== "session.deleted") return
        // OpenCode lets the agent of a session that is deleted go on unseen.
        if ((await owner(id).catch(() => "person")) === "person") await client.session.abort({ path: { id } }).catch(() => {})
        forget(id)
      })
    },
    "command.execute.before": async ({ command, sessionID: id, arguments: given }, output) => {
      if (!COMMANDS.includes(command)) return
      supersede(id)
      seen.add(id)
      const say = (text) => output.parts.splice(0, output.parts.length, { type: "text", text })
      try {
        if ((await owner(id)) !== "person") throw new Error("this session is driven from outside, so no loop can live in it")
        const busy = await isBusy(id).catch(() => false)
        const actions = await ask(id, { event: "command", session: id, command, arguments: given, busy })
        const brief = actions.find((action) => action.type === "prompt")
        if (brief) say(brief.text)
        perform(id, actions.filter((action) => action !== brief))
      } catch (problem) {
        told.delete(id)
        await complain(id, problem, "nothing was begun or ended")
        const why = `ralph did nothing: ${problem?.message ?? problem}`
        say(`Repeat the following to the person in one sentence, and do nothing else.\n\n${why}`)
      }
    },
    "chat.message": async ({ sessionID: id }, output) => {
      try {
        await greet(id, output)
      } catch (problem) {
        log(String(problem))
        await complain(id, problem, `if a loop was to begin here, it has not; ${LOOK}`)
      }
      // An agent is shown the tool where it counts.
      const counts = IS_DRIVEN || wanting.has(id) || (await owner(id).catch(() => "person")) === "ralph"
      if (!counts && output.message) output.message.tools = { ...output.message.tools, [TOOL]: false }
    },
    ...(IS_DRIVEN ? { "tool.execute.after": keep } : { tool: { [TOOL]: tool } }),
  }
}
