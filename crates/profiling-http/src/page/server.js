// What the page asks its program for, and what is shown when there is no answer.

// How long an answer may take, in milliseconds. A profile's first one looks up all names.
const PATIENCE = 10_000
const PATIENCE_FOR_PROFILE = 120_000
// The program makes one profile at a time: another one is asked for so often, so many milliseconds apart.
const BUSY = 429
const TRIES = 30
const PAUSE = 1_000

// The browser sends the credentials that it was given; an address that has them, too, is none that may be asked.
const HERE = location.origin + location.pathname

// By what was asked for.
const problems = new Map()

function setProblem(what, text) {
  if (text) problems.set(what, text)
  else problems.delete(what)
  sayLines(part('problems'), [...problems].map(([what, text]) => `${what}: ${text}`))
}

function reasonOf(error) {
  if (error.name === 'TimeoutError') return 'there was no answer in time'
  // What `fetch` says of it differs from browser to browser.
  return error instanceof TypeError ? 'the program does not answer' : error.message
}

// The answer, as `read` makes it of the text; null if there is none: then it is shown under `what` why.
async function ask(what, path, { method = 'GET', patience = PATIENCE, read = JSON.parse } = {}) {
  try {
    for (let tries = 1; ; tries += 1) {
      const answer = await fetch(new URL(path, HERE), { method, cache: 'no-store', signal: AbortSignal.timeout(patience) })
      const text = (await answer.text()).trim()
      if (answer.ok) {
        setProblem(what, null)
        return read(text)
      }
      const reason = text.split('\n')[0].slice(0, 300) || `status ${answer.status}`
      if (answer.status !== BUSY || tries === TRIES) throw new Error(reason)
      setProblem(what, `${reason}; it is asked for again`)
      await new Promise(done => setTimeout(done, PAUSE))
    }
  } catch (error) {
    setProblem(what, reasonOf(error))
    return null
  }
}
