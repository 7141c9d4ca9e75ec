// The page's head: the figures of the session and of the process, and what was lost.

import { figure, must, mustBe } from '../views/checks.mjs'
import { texts } from '../views/tables.mjs'
import { answer, still, text } from './live.mjs'

export async function head(page, check, { losses, token, url }) {
  await check('totals', () =>
    still(page, async () => {
      const { live, allocated } = answer(page, 'stats')
      const shown = await text(page, '#totals')
      const parts = shown.match(/^(.*?)(?: ± [\d.,]+)? live in ([\d,]+) objects, (.*?)(?: ± [\d.,]+)? allocated in ([\d,]+) objects$/)
      must(parts, `it says ${shown}`)
      const wanted = [live.bytes, live.objects, allocated.bytes, allocated.objects]
      wanted.forEach((value, index) => mustBe(parts[index + 1], value, 0, `figure ${index}`))
      return shown
    }),
  )
  await check('session', () =>
    still(page, async () => {
      const { session, provider } = answer(page, 'stats')
      const shown = await text(page, '#about')
      must(shown.includes(`session ${session} for `) && shown.includes(`allocator ${provider}`), `it says ${shown}`)
      return shown
    }),
  )
  await check('losses', async () => {
    const shown = await texts(page, '#losses li')
    must(shown.length === losses.length, `it tells ${shown.length} losses of ${losses.length}: ${shown[0]}`)
    losses.forEach((loss, index) => must(shown[index].includes(loss), `it says ${shown[index]}, not ${loss}`))
    const height = await page.$eval('#losses', list => list.getBoundingClientRect().height)
    must(height > 0 === losses.length > 0, 'the list of losses is not as it should be')
    return `${losses.length}`
  })
  await check('the process and its allocator', () =>
    still(page, async () => {
      const { provider_figures: figures, resident } = answer(page, 'stats')
      const shown = await page.$$eval('#provider-table tr', rows => rows.map(row => [...row.cells].map(cell => cell.textContent)))
      must(shown.length === figures.length && figures.length > 0, `${shown.length} figures of ${figures.length}`)
      figures.forEach(({ name, bytes }, index) => {
        must(shown[index][0] === name, `${shown[index][0]} is not ${name}`)
        mustBe(shown[index][1], bytes, 0, name)
      })
      const line = await text(page, '#process')
      must(resident && line.startsWith('resident '), `of the process it says ${line}`)
      mustBe(line.slice('resident '.length), resident.used, 0, 'resident')
      must(figure(line.slice('resident '.length)).value > 0, 'nothing is resident')
      return line
    }),
  )
  if (!token) return
  await check('without the token', async () => {
    const { status } = await fetch(url)
    must(status === 401, `the answer is ${status}`)
  })
}
