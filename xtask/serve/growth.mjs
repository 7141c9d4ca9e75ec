// Two moments, and what grew between them.

import { must } from '../views/checks.mjs'
import { rowsOf, sortBy, sorts } from '../views/tables.mjs'
import { compare, still, text } from './live.mjs'

const chosen = page => page.evaluate(() => ['from', 'to'].map(id => document.getElementById(id).value))
const marks = page => page.$$eval('#chart .moment', all => all.map(mark => mark.classList.contains('chosen')))

export async function growth(page, check, { leak }) {
  await check('moments by the mouse', () =>
    still(page, async ({ points, moments }) => {
      const options = await page.$$eval('#from option', all => all.map(option => Number(option.value)))
      must(JSON.stringify(options) === JSON.stringify(moments.map(({ id }) => id)), `it offers ${options}`)
      const [from, to] = await chosen(page)
      must(Number(from) === moments[0].id && to === 'now', `it begins with ${from} and ${to}`)
      const seen = moments.filter(({ time_ms: time }) => time >= points[0].time_ms && time <= points.at(-1).time_ms)
      const all = await page.$$('#chart .moment')
      must(all.length === seen.length && seen.length >= 3, `${all.length} marks of ${seen.length} moments`)
      // Next to the first, then next to the last: each is nearer to another end.
      await all[1].click()
      must(Number((await chosen(page))[0]) === seen[1].id, 'the second mark is not where it begins')
      const again = await page.$$('#chart .moment')
      await again.at(-1).click()
      must(Number((await chosen(page))[1]) === seen.at(-1).id, 'the last mark is not where it ends')
      const isChosen = await marks(page)
      must(isChosen[1] && isChosen.at(-1) && isChosen.filter(Boolean).length === 2, `marked are ${isChosen}`)
      must((await page.$$('#chart .between')).length === 1, 'what is between them is not seen')
      return `${moments.length} moments`
    }),
  )

  await check('moments by keys', () =>
    still(page, async ({ moments }) => {
      await page.focus('#chart')
      await page.keyboard.press('Home')
      await page.keyboard.press('f')
      must(Number((await chosen(page))[0]) === moments[0].id, 'F at the first point is not the first moment')
      await page.keyboard.press('End')
      await page.keyboard.press('t')
      must(Number((await chosen(page))[1]) === moments.at(-1).id, 'T at the last point is not the last moment')
      await page.focus('#from')
      await page.keyboard.press('ArrowDown')
      must(Number((await chosen(page))[0]) === moments[1].id, 'the list does not go to the second moment')
      must((await marks(page))[1], 'its mark does not show it')
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
