// The page while its program runs: opened, held still, waited for.

import { onPage } from '../readers/browser.mjs'
import { must } from '../views/checks.mjs'

// What pages have last been answered, by the end of its path.
const answers = new WeakMap()

// Opens the page, and waits until everything is there.
export async function open(page, { url, token }) {
  if (!answers.has(page)) {
    const last = new Map()
    answers.set(page, last)
    page.on('response', async response => {
      const name = new URL(response.url()).pathname.split('/').at(-1)
      // An answer to a page that is gone cannot be read.
      const body = await response.json().catch(() => null)
      if (body) last.set(name, body)
    })
  }
  if (token) await page.authenticate({ username: 'somebody', password: token })
  await page.goto(url)
  await page.waitForSelector('#functions tbody tr')
  await page.waitForSelector('#chart path.line')
}

// The page's last answer: `stats`, `history`, `growth`, `heap`.
export function answer(page, name) {
  const body = answers.get(page)?.get(name)
  must(body, `there was no answer for ${name}`)
  return body
}

// Lets `work` look at a page whose figures do not move, and gives it the history that is drawn.
export async function still(page, work) {
  await page.click('#pause')
  // What was asked for before is drawn.
  await page.waitForNetworkIdle({ idleTime: 300 })
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
