// The page while its program runs: opened, held still, waited for.

import { onPage, painted } from '../readers/browser.mjs'
import { must } from '../views/checks.mjs'

// How long an answer may take, in milliseconds.
const PATIENCE = 30_000

// Looks, 20 milliseconds apart, at which no answer is waited for.
const IDLE = 10

// Points that there are at least, to look at.
const POINTS = 6

// By page: what it has last been answered, by the end of its path, and what it waits for.
const watched = new WeakMap()

function watch(page) {
  const [answers, open] = [new Map(), new Set()]
  watched.set(page, { answers, open })
  page.on('request', request => open.add(request))
  // What a page that is gone has waited for does not come.
  page.on('framenavigated', () => open.clear())
  page.on('requestfailed', request => open.delete(request))
  page.on('requestfinished', async request => {
    const response = request.response()
    const name = new URL(request.url()).pathname.split('/').at(-1)
    const isJson = response.headers()['content-type']?.includes('json')
    const body = isJson ? await response.json().catch(() => null) : null
    if (body) answers.set(name, body)
    open.delete(request)
  })
}

// Opens the page, starts a session if there is none, and waits until everything is there.
export async function open(page, { url, token }) {
  if (!watched.has(page)) watch(page)
  if (token) await page.authenticate({ username: 'somebody', password: token })
  await page.goto(url)
  await page.waitForFunction(() => document.getElementById('totals').textContent !== '')
  if (await page.$eval('#start', button => button.checkVisibility())) await page.click('#start')
  await page.waitForSelector('#functions tbody tr')
  await page.waitForFunction(points => Number(document.getElementById('chart').getAttribute('aria-valuemax')) >= points, {}, POINTS)
}

// The page's last answer: `stats`, `history`, `growth`, `heap`.
export function answer(page, name) {
  const body = watched.get(page)?.answers.get(name)
  must(body, `there was no answer for ${name}`)
  return body
}

// Waits until every request has its answer, and the page has made of it what it does: that may be another request.
export async function quiet(page) {
  const { open } = watched.get(page)
  const deadline = Date.now() + PATIENCE
  for (let turns = 0; turns < IDLE; turns += 1) {
    must(Date.now() < deadline, `there is no answer to ${[...open][0]?.url()}`)
    await new Promise(done => setTimeout(done, 20))
    if (open.size > 0) turns = 0
  }
  await painted(page)
}

// Lets `work` look at a page whose figures do not move, and gives it the history that is drawn.
export async function still(page, work) {
  await page.click('#pause')
  // What was asked for before is drawn.
  await quiet(page)
  try {
    return await work(answer(page, 'history'))
  } finally {
    await page.click('#pause')
  }
}

export function text(page, selector) {
  return page.$eval(selector, element => element.textContent)
}

// Waits until a text has a part in it, or none where `part` is empty.
export async function says(page, selector, part) {
  const isSo = (selector, part) => {
    const { textContent } = document.querySelector(selector)
    return part ? textContent.includes(part) : textContent === ''
  }
  await page.waitForFunction(isSo, {}, selector, part).catch(async () => {
    must(false, `${selector} says ${JSON.stringify(await text(page, selector))}, not ${JSON.stringify(part)}`)
  })
}

// Compares, as the page has the moments; answers what the program said.
export async function compare(page) {
  const done = page.waitForResponse(response => response.url().includes('/growth?') && response.ok())
  await page.click('#compare')
  const response = await done
  await page.waitForSelector('#compare:not([aria-busy])')
  return { changes: await response.json(), asked: new URL(response.url()).searchParams }
}

// Gives `work` a page of its own, whose requests may fail, since a browser writes each that does to its console.
export async function apart(page, shown, work) {
  const { faults } = await onPage(page.browser(), 'about:blank', async other => {
    await work(other, () => open(other, shown))
    return {}
  })
  const others = faults.filter(fault => !fault.includes('Failed to load resource'))
  must(others.length === 0, others[0])
}
