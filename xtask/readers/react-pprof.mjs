// react-pprof: node react-pprof.mjs <directory for screenshots> <profile> ..

import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import { entry, say, stem } from './answer.mjs'
import { onPage, painted, screenshot, withBrowser } from './browser.mjs'

const COMMAND = fileURLToPath(new URL('node_modules/react-pprof/cli.js', import.meta.url))
// Of the bar with the hottest frames, and of the buttons below it.
const HEADER_PIXELS = 90

const [directory, ...files] = process.argv.slice(2)

async function look(page, profile) {
  await page.waitForFunction(() => /\d+ frames|No frames available/.test(document.body.innerText))
  await painted(page)
  // The bar has an element for each frame, and tells it where the mouse rests.
  const titles = await page.$$eval('[title]', all => all.map(each => each.title))
  const rows = titles.map(title => title.match(/^(.*) \(self: (-?[\d.]+), total: .*\)$/s)).filter(Boolean)
  const picture = path.join(directory, `react-pprof-${profile}.png`)
  const faults = await screenshot(page, picture, HEADER_PIXELS, rows.length > 0)
  return { rows: rows.map(([, name, own]) => ({ name, own })), faults }
}

const entries = await withBrowser(async browser => {
  const entries = []
  for (const file of files) {
    const profile = stem(file)
    const html = path.join(directory, `react-pprof-${profile}.html`)
    const show = () => {
      execFileSync(process.execPath, [COMMAND, '-o', html, file], { stdio: 'pipe' })
      return onPage(browser, pathToFileURL(html).href, page => look(page, profile))
    }
    entries.push(await entry(profile, 'flamegraph', show))
  }
  return entries
})
say(entries)
