// Whether the chart's lines can be told from what is behind them, in the light and in the dark.

import { must } from '../views/checks.mjs'

// What the guidelines for accessible pages ask for of pictures.
const LEAST = 3

export async function lines(page, check) {
  for (const scheme of ['light', 'dark']) {
    await check(`lines, ${scheme}`, async () => {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      const ratios = await page.evaluate(() => {
        const luminance = text => {
          const [r, g, b] = text.match(/[\d.]+/g).map(part => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
          return 0.2126 * r + 0.7152 * g + 0.0722 * b
        }
        const back = luminance(getComputedStyle(document.getElementById('chart')).backgroundColor)
        return [...document.querySelectorAll('#chart path.line')].map(path => {
          const [dark, light] = [back, luminance(getComputedStyle(path).stroke)].sort((a, b) => a - b)
          return (light + 0.05) / (dark + 0.05)
        })
      })
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
      const least = Math.min(...ratios)
      must(ratios.length >= 2 && least >= LEAST, `of ${ratios.length} lines one has ${least.toFixed(2)} to 1`)
      return `${ratios.length} lines, at least ${least.toFixed(2)} to 1`
    })
  }
}
