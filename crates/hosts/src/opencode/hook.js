
// How ralph is asked.
import { spawn } from "node:child_process"

/** ralph keeps to its own deadlines: what is still there then has lost them. Only these are never judged by checks. */
const QUICK = ["error", "deleted", "replaced", "tool"]
const LONGEST_QUICK_MS = 120_000
const LONGEST_MS = 6 * 3_600_000
const GRACE_MS = 5_000
const LONGEST_ANSWER = 16 * 1024 * 1024

/**
 * Runs ralph with one object on its standard input. In a group of its own: what is typed at the screen does not reach it,
 * and the whole group is ended if it has to be.
 */
function run(program, told, running) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ["hook", "opencode"], { cwd: "/", detached: true, stdio: ["pipe", "pipe", "pipe"] })
    let out = ""
    let err = ""
    let cause = ""
    const end = (why) => {
      cause ||= why
      const kill = (signal) => {
        try {
          process.kill(-child.pid, signal)
        } catch {} // it is gone already
      }
      kill("SIGTERM")
      setTimeout(() => running.has(child) && kill("SIGKILL"), GRACE_MS).unref()
    }
    const limit = QUICK.includes(told.event) ? LONGEST_QUICK_MS : LONGEST_MS
    const timer = setTimeout(() => end(`ralph took longer than ${limit / 1_000} s`), limit).unref()
    const over = () => {
      clearTimeout(timer)
      running.delete(child)
    }
    running.add(child)
    child.on("error", (problem) => (over(), reject(problem)))
    child.stdout.setEncoding("utf8")
    child.stderr.setEncoding("utf8")
    child.stdout.on("data", (piece) => (out.length < LONGEST_ANSWER ? (out += piece) : end("the answer of ralph has no end")))
    child.stderr.on("data", (piece) => (err = (err + piece).slice(0, 4096)))
    child.stdin.on("error", () => {})
    child.on("close", (code, signal) => {
      over()
      if (cause) [out, err] = ["", cause]
      const how = signal ? `it was ended by ${signal}` : `it ended with ${code}`
      resolve({ out, err: err.trim(), isWell: code === 0, how })
    })
    child.stdin.end(JSON.stringify(told))
  })
}
