// Whether what is written on the page can be read, in the light and in the dark.

import { must } from './checks.mjs'

// What the guidelines for accessible pages ask for of text.
const LEAST = 4.5
// Of each, those that come first are measured.
const SOME = 400
const WRITTEN = [
  'h1', 'h2', '#totals', '#about', '.hint', '#losses li', '#matched', 'label', '#frame', 'th', 'td', 'tr.selected td', '.cell', '.ends span', 'figcaption',
  '#comments li',
]

// The least contrast of what is written, by what it is, and the colour of the page.
function contrasts(page, more) {
  return page.evaluate(
    (written, some) => {
      const parsed = text => text.match(/[\d.]+/g).map(Number)
      const over = ([r, g, b], back, alpha) => [r, g, b].map((part, index) => part * alpha + back[index] * (1 - alpha))
      const luminance = colour => {
        const [r, g, b] = colour.map(part => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      // What an element and all around it paint, from the outermost on; text is painted with its element.
      const painted = element => {
        const around = []
        for (let each = element; each; each = each.parentElement) around.unshift(each)
        // The page is white, or what the browser takes for the dark.
        let back = matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255]
        let text = back
        for (const each of around) {
          const style = getComputedStyle(each)
          const [r, g, b, alpha = 1] = parsed(style.backgroundColor)
          const opacity = Number(style.opacity)
          const inside = over([r, g, b], back, alpha)
          text = over(over(parsed(style.color), inside, parsed(style.color)[3] ?? 1), back, opacity)
          back = over(inside, back, opacity)
        }
        return { back, text }
      }
      const ratio = element => {
        const { back, text } = painted(element)
        const [light, dark] = [luminance(back), luminance(text)].sort((a, b) => b - a)
        return (light + 0.05) / (dark + 0.05)
      }
      const least = []
      for (const selector of written) {
        const all = [...document.querySelectorAll(selector)].filter(each => each.textContent.trim()).slice(0, some)
        for (const each of all) least.push({ what: `${selector}${each.className ? ` (${each.className})` : ''}`, ratio: ratio(each) })
      }
      least.sort((a, b) => a.ratio - b.ratio)
      const kinds = [...new Set(least.map(({ what }) => what))]
      return { least: least[0], measured: least.length, kinds, back: getComputedStyle(document.body).backgroundColor }
    },
    [...WRITTEN, ...more],
    SOME,
  )
}

// `picture` keeps a screenshot, `again` opens the page anew; `more` is written on it, too.
export async function colours(page, check, { search }, { picture, again, more = [] }) {
  const backs = []
  for (const scheme of ['light', 'dark']) {
    await check(`contrast, ${scheme}`, async () => {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      // What matches, and a row that is chosen; then a part of the graph, below what calls it.
      await page.type('#search', search)
      await (await page.$('#functions tbody tr')).click()
      const whole = await contrasts(page, more)
      // Those that are too narrow have nothing written on them.
      const hasMatch = await page.$$eval('.cell.match', all => all.some(each => each.textContent))
      await page.click('#flamegraph .cell:nth-child(7)')
      await picture(scheme)
      const part = await contrasts(page, more)
      await again()
      backs.push(whole.back)
      const least = whole.least.ratio < part.least.ratio ? whole.least : part.least
      must(least.ratio >= LEAST, `${least.what} has ${least.ratio.toFixed(2)} to 1`)
      must(part.kinds.some(kind => kind.startsWith('.cell') && kind.includes('above')), 'no cell above is written on')
      must(!hasMatch || whole.kinds.some(kind => kind.startsWith('.cell') && kind.includes('match')), 'no cell that matches was measured')
      return `${whole.measured + part.measured} texts, at least ${least.ratio.toFixed(2)} to 1 on ${whole.back}`
    })
  }
  await check('light and dark differ', () => must(new Set(backs).size === 2, `both are on ${backs[0]}`))
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
}
