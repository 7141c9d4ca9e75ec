// What starts and stops the session, where a program allows it. The last look at a program: its session is another one afterwards,
// and there may be nothing in it.

import { must } from '../views/checks.mjs'
import { apart, says, text } from './live.mjs'

const isSeen = (page, selector) => page.$eval(selector, element => element.checkVisibility())

async function type(page, interval) {
  await page.click('#interval', { count: 3 })
  await page.keyboard.type(interval)
}

export async function controls(page, check, shown) {
  if (!shown.controls) {
    await check('no controls', async () => {
      for (const id of ['#interval', '#start', '#stop', '#change']) must(!(await isSeen(page, id)), `${id} is seen`)
      must((await isSeen(page, '#purge')) === Boolean(shown.purge), 'free memory is given back where it is not allowed, or is not')
    })
    return
  }
  if (shown.purge) {
    await check('free memory is given back', async () => {
      await page.click('#purge')
      await page.waitForFunction(() => document.getElementById('done').textContent !== '')
      return text(page, '#done')
    })
  }
  await check('an interval that is none', () =>
    apart(page, shown, async (other, open) => {
      await open()
      await type(other, 'nonsense')
      await other.click('#change')
      await says(other, '#problems', 'interval: ')
      return text(other, '#problems')
    }),
  )
  await check('another interval', async () => {
    await type(page, '1MiB')
    await page.click('#change')
    await says(page, '#about', 'one sample in 1.0 MiB')
    await type(page, '256KiB')
    await page.keyboard.press('Enter')
    await says(page, '#about', 'one sample in 256.0 KiB')
  })
  await check('stop and start', async () => {
    await page.click('#stop')
    await says(page, '#totals', 'No session is running.')
    must((await isSeen(page, '#start')) && !(await isSeen(page, '#stop')), 'it cannot be started')
    await type(page, '512KiB')
    await page.click('#start')
    await says(page, '#totals', ' live in ')
    await says(page, '#about', 'one sample in 512.0 KiB')
    must(await isSeen(page, '#stop'), 'it cannot be stopped')
    return text(page, '#about')
  })
}
