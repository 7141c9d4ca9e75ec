// The chart: what it draws of the history, and how a point of it is read.

import { must, mustBe } from '../views/checks.mjs'
import { still, text } from './live.mjs'

// In pixels.
const NEAR = 1.5

// The corners of what is drawn in a colour.
function corners(page, kind, colour) {
  return page.$eval(`#chart path.${kind}.colour-${colour}`, path =>
    [...path.getAttribute('d').matchAll(/([\d.]+),([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]),
  )
}

// Where a figure is, by two lines of the grid.
async function heights(page) {
  const [bottom, top] = await page.$$eval('#chart .grid', all => [all[0], all.at(-1)].map(line => Number(line.getAttribute('y1'))))
  const most = await page.$$eval('#chart text', all => all.filter(text => text.getAttribute('text-anchor') === 'end').at(-1).textContent)
  const [, number, unit] = most.match(/^([\d.]+) (\w+)$/)
  const whole = Number(number) * { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }[unit]
  return value => bottom - ((bottom - top) * value) / whole
}

// The corners of the band, as [point, bytes]: for each session its upper edge, and then its lower one back.
function aroundOf(points) {
  const sessions = []
  for (const [index, { session, live_bytes: value, live_bytes_error: error }] of points.entries()) {
    if (index === 0 || session !== points[index - 1].session) sessions.push([])
    sessions.at(-1).push({ index, value, error })
  }
  return sessions.flatMap(session => [
    ...session.map(({ index, value, error }) => [index, value + error]),
    ...session.toReversed().map(({ index, value, error }) => [index, value - error]),
  ])
}

export async function chart(page, check) {
  await check('lines and a band', () =>
    still(page, async ({ points }) => {
      const y = await heights(page)
      const [live, resident, band] = [await corners(page, 'line', 0), await corners(page, 'line', 1), await corners(page, 'band', 0)]
      must(live.length === points.length, `${live.length} of ${points.length} points`)
      must(band.length === 2 * points.length, `the band has ${band.length} corners`)
      points.forEach(({ live_bytes: value, resident_bytes: rss }, index) => {
        must(Math.abs(live[index][1] - y(value)) < NEAR, `live heap: point ${index} is at ${live[index][1]}, not ${y(value)}`)
        must(Math.abs(resident[index][1] - y(rss)) < NEAR, `resident: point ${index} is at ${resident[index][1]}, not ${y(rss)}`)
      })
      aroundOf(points).forEach(([index, edge], corner) => {
        const at = y(Math.max(0, edge))
        must(Math.abs(band[corner][1] - at) < NEAR, `around point ${index} the band is at ${band[corner][1]}, not ${at}`)
      })
      const width = live.at(-1)[0] - live[0][0]
      must(points.length < 2 || width > 300, `the line is ${width} pixels wide`)
      const seen = await page.$$eval('#chart path.line', all => all.filter(path => getComputedStyle(path).stroke !== 'none').length)
      must(seen >= 2, `${seen} lines are seen`)
      return `${points.length} points, ${seen} lines`
    }),
  )

  await check('new points come', async () => {
    const seen = () =>
      page.evaluate(() => ({
        time: document.getElementById('reading').textContent.slice(0, 8),
        drawn: document.querySelector('#chart path.line').getAttribute('d'),
      }))
    const before = await seen()
    const isOther = time => document.getElementById('reading').textContent.slice(0, 8) !== time
    await page.waitForFunction(isOther, {}, before.time)
    const after = await seen()
    must(after.drawn !== before.drawn, 'the line does not move')
    return `${before.time} to ${after.time}`
  })

  await check('reading by keys', () =>
    still(page, async ({ points }) => {
      await page.focus('#chart')
      const last = points.length - 1
      // Where each key leads from where the one before led.
      const keys = [['End', last], ['ArrowLeft', last - 1], ['ArrowLeft', last - 2], ['ArrowRight', last - 1], ['PageUp', last - 31], ['PageDown', last - 1], ['Home', 0]]
      for (const [key, wanted] of keys) {
        await page.keyboard.press(key)
        const index = Math.min(Math.max(wanted, 0), last)
        // A step that was too long ended at the first point.
        if (key === 'PageDown' && last < 31) continue
        await mustRead(page, points, index, key)
      }
      await page.$eval('#chart', chart => chart.blur())
      return `${keys.length} keys`
    }),
  )

  await check('reading by the mouse', () =>
    still(page, async ({ points }) => {
      const line = await corners(page, 'line', 0)
      const index = Math.floor(points.length / 3)
      const box = await (await page.$('#chart svg')).boundingBox()
      await page.mouse.move(box.x + line[index][0], box.y + line[index][1])
      await mustRead(page, points, index, 'the mouse')
      await page.mouse.move(box.x + line[index][0], box.y + box.height + 200)
      must((await page.$$('#chart .cursor')).length === 0, 'the cursor stays')
      return text(page, '#reading')
    }),
  )

  await check('lines are switched', () =>
    still(page, async () => {
      const count = () => page.$$eval('#chart path.line', all => all.length)
      const before = await count()
      const [, box] = await page.$$('#legend input')
      await box.click()
      must((await count()) === before - 1, 'the line is still there')
      must(!(await text(page, '#reading')).includes(', resident'), 'it is still read')
      await box.focus()
      await page.keyboard.press('Space')
      must((await count()) === before, 'the line does not come back')
      return `${before} of ${(await page.$$('#legend input')).length} lines`
    }),
  )
}

// Asks that a point is read, and that the cursor is at it.
async function mustRead(page, points, index, how) {
  const shown = await text(page, '#reading')
  const [, amount] = shown.match(/: live heap ([^,]*)/) ?? []
  must(amount, `after ${how} it says ${shown}`)
  mustBe(amount, points[index].live_bytes, 0, how)
  must((await page.$eval('#chart', chart => chart.getAttribute('aria-valuetext'))) === shown, 'something else is read aloud')
  must(Number(await page.$eval('#chart', chart => chart.getAttribute('aria-valuenow'))) === index, `after ${how} another point is read`)
  const at = Number(await page.$eval('#chart .cursor', line => line.getAttribute('x1')))
  const [x] = (await corners(page, 'line', 0))[index]
  must(Math.abs(at - x) < NEAR, `after ${how} the cursor is at ${at}, not ${x}`)
}
