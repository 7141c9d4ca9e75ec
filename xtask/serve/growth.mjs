// Two moments, and what grew between them.

import { must } from '../views/checks.mjs'
import { rowsOf, sortBy, sorts } from '../views/tables.mjs'
import { compare, still, text } from './live.mjs'

const chosen = page => page.evaluate(() => ['from', 'to'].map(id => document.getElementById(id).value))
const marks = page => page.$$eval('#chart .moment', all => all.map(mark => mark.classList.contains('chosen')))

const onChart = (points, moments) => moments.filter(({ time_ms: time }) => time >= points[0].time_ms && time <= points.at(-1).time_ms)

function nearest(moments, { time_ms: time }) {
  const distance = moment => Math.abs(moment.time_ms - time)
  return moments.reduce((best, moment) => (distance(moment) < distance(best) ? moment : best))
}

export async function growth(page, check, { leak }) {
  await check('moments by the mouse', () =>
    still(page, async ({ points, moments }) => {
      const options = await page.$$eval('#from option', all => all.map(option => Number(option.value)))
      must(JSON.stringify(options) === JSON.stringify(moments.map(({ id }) => id)), `it offers ${options}`)
      const [from, to] = await chosen(page)
      must(Number(from) === moments[0].id && to === 'now', `it begins with ${from} and ${to}`)
      const seen = onChart(points, moments)
      must((await marks(page)).length === seen.length && seen.length >= 3, `${(await marks(page)).length} marks of ${seen.length} moments`)
      for (const index of [1, seen.length - 1]) {
        const now = await page.evaluate(() => Date.now())
        const [from, to] = (await chosen(page)).map(id => moments.find(moment => String(moment.id) === id)?.time_ms ?? now)
        const { id, time_ms: time } = seen[index]
        const end = Math.abs(from - time) <= Math.abs(to - time) ? 0 : 1
        await (await page.$$('#chart .moment'))[index].click()
        must(Number((await chosen(page))[end]) === id, `mark ${index} is not the end that is nearer`)
      }
      const isChosen = await marks(page)
      const wanted = await chosen(page)
      must(seen.every(({ id }, index) => isChosen[index] === wanted.includes(String(id))), `marked are ${isChosen}`)
      must((await page.$$('#chart .between')).length === 1, 'what is between them is not seen')
      return `${moments.length} moments`
    }),
  )

  await check('moments by keys', () =>
    still(page, async ({ points, moments }) => {
      const seen = onChart(points, moments)
      await page.focus('#chart')
      await page.keyboard.press('Home')
      await page.keyboard.press('f')
      must(Number((await chosen(page))[0]) === nearest(moments, points[0]).id, 'F at the first point is not the moment next to it')
      await page.keyboard.press('End')
      await page.keyboard.press('t')
      must(Number((await chosen(page))[1]) === nearest(moments, points.at(-1)).id, 'T at the last point is not the moment next to it')
      await page.focus('#from')
      await page.keyboard.press('Home')
      await page.keyboard.press('ArrowDown')
      must(Number((await chosen(page))[0]) === moments[1].id, 'the list does not go to the second moment')
      const index = seen.indexOf(moments[1])
      must(index < 0 || (await marks(page))[index], 'its mark does not show it')
      await page.keyboard.press('Home')
      await page.focus('#to')
      await page.keyboard.press('End')
      const [from, to] = await chosen(page)
      must(Number(from) === moments[0].id && to === 'now', `it is ${from} and ${to} in the end`)
    }),
  )

  await check('what grew', async () => {
    const { changes, asked } = await compare(page)
    must(asked.get('to') === 'now', `it asks for what grew to ${asked.get('to')}`)
    const said = []
    for (const [index, by] of ['function', 'stack'].entries()) {
      await page.click(`input[name=by][value="${index}"]`)
      await sortBy(page, '#grown-table', 'growth', 'descending')
      const rows = await rowsOf(page, '#grown-table')
      must(rows.length > 0 && rows.length <= changes[index].rows.length, `${rows.length} rows of ${changes[index].rows.length} by ${by}`)
      must(rows[0].at(-1).includes(leak), `first by ${by} is ${rows[0].at(-1)}, not ${leak}`)
      must(rows[0][0].startsWith('+'), `it grew by ${rows[0][0]}`)
      said.push(`${rows[0].at(-1)} ${rows[0][0]}`)
    }
    await page.click('input[name=by][value="0"]')
    const total = await text(page, '#grown-total')
    must(changes[0].total.is_significant !== total.includes('noise'), `of the whole heap it says ${total}`)
    const compared = await text(page, '#compared')
    must(compared.includes('noise') && compared.includes(changes[0].basis), `of significance it says ${compared}`)
    return said.join(', ')
  })

  if ((await rowsOf(page, '#grown-table')).length > 1) await check('columns of what grew sort', () => sorts(page, '#grown-table'))
}
