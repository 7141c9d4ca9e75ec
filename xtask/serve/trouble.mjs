// A program that is busy, that says no, and that is gone.

import { must } from '../views/checks.mjs'
import { cellsOf, clear } from '../views/flamegraph.mjs'
import { apart, says, text } from './live.mjs'

const BUSY = 'another profile is being made'

// Lets `answer` take requests: it answers with what is sent instead, with null for a request that finds nobody, and with nothing
// for one that goes its way.
async function intercept(page, answer) {
  await page.setRequestInterception(true)
  page.on('request', request => {
    const other = answer(request.url())
    if (other === null) request.abort('connectionrefused')
    else if (other) request.respond({ contentType: 'text/plain', ...other })
    else request.continue()
  })
}

export async function trouble(page, check, shown) {
  await check('a busy program', () =>
    apart(page, shown, async (other, open) => {
      let times = 2
      const isBusy = url => url.includes('/pprof/heap') && times-- > 0
      await intercept(other, url => (isBusy(url) ? { status: 429, body: `${BUSY}\n` } : undefined))
      const opened = open()
      await other.waitForSelector('#problems')
      await says(other, '#problems', BUSY)
      await opened
      await says(other, '#problems', '')
      must((await cellsOf(other)).length > 1, 'there is no flamegraph')
    }),
  )
  await check('a program that says no', () =>
    apart(page, shown, async (other, open) => {
      await intercept(other, url => (url.includes('/growth?') ? { status: 404, body: 'moment 1 is not kept: another one was expected\n' } : undefined))
      await open()
      await other.click('#compare')
      await says(other, '#problems', 'comparison: moment 1 is not kept: another one was expected')
      return text(other, '#problems')
    }),
  )
  await check('a program that is gone', () =>
    apart(page, shown, async (other, open) => {
      let isGone = false
      await intercept(other, () => (isGone ? null : undefined))
      await open()
      isGone = true
      await says(other, '#problems', 'figures: the program does not answer')
      await other.click('#refresh')
      await says(other, '#problems', 'profile: the program does not answer')
      // What is there can still be looked at.
      const before = await text(other, '#updated')
      await other.type('#search', shown.search)
      must((await text(other, '#matched')).includes('in what matches'), 'it does not search')
      await clear(other)
      isGone = false
      await other.click('#refresh')
      await says(other, '#problems', '')
      must((await text(other, '#updated')) !== before, 'its figures do not go on')
    }),
  )
}
