// When the page asks for something: not while it is paused, and not while nobody sees it.

import { must } from '../views/checks.mjs'
import { quiet } from './live.mjs'

// Longer than the page waits between two looks, in milliseconds.
const LONG = 7_000

// How many requests there are for so long.
async function requests(page) {
  let seen = 0
  const count = () => {
    seen += 1
  }
  page.on('request', count)
  await new Promise(done => setTimeout(done, LONG))
  page.off('request', count)
  return seen
}

export async function pace(page, check) {
  const isNext = () => page.waitForRequest(request => request.url().endsWith('/pprof/stats'))
  await check('pause', async () => {
    await page.click('#pause')
    await quiet(page)
    const seen = await requests(page)
    must(seen === 0, `${seen} requests while it is paused`)
    await Promise.all([isNext(), page.click('#pause')])
  })
  await check('not seen', async () => {
    const hide = hidden =>
      page.evaluate(hidden => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    await hide(true)
    await quiet(page)
    const seen = await requests(page)
    must(seen === 0, `${seen} requests while nobody sees it`)
    await Promise.all([isNext(), hide(false)])
  })
  await check('the profile now and then', async () => {
    const asked = () => page.waitForRequest(request => request.url().includes('/pprof/heap'))
    await Promise.all([asked(), page.click('#automatic')])
    await page.click('#automatic')
  })
}
