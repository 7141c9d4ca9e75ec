// speedscope: node speedscope.mjs <directory for screenshots> <profile> ..

import path from 'node:path'
import { fileURLToPath } from 'node:url'

import { entry, say, stem } from './answer.mjs'
import { onPage, painted, screenshot, withBrowser } from './browser.mjs'
import { withServer } from './server.mjs'

const RELEASE = fileURLToPath(new URL('node_modules/speedscope/dist/release', import.meta.url))
// Of the toolbar, and of the overview below it.
const HEADER_PIXELS = 130

const [directory, ...files] = process.argv.slice(2)

async function look(page, profile) {
  // The toolbar has the views once the profile is there; else there is a message.
  await page.waitForFunction(() => /Left Heavy|Something went wrong|Failed to load/i.test(document.body.innerText))
  await page.keyboard.press('3')
  await page.waitForSelector('td, ::-p-text(No symbols found)')
  await screenshot(page, path.join(directory, `speedscope-${profile}-sandwich.png`), 0, false)
  const rows = await sandwich(page)
  await page.keyboard.press('1')
  await painted(page)
  const faults = await screenshot(page, path.join(directory, `speedscope-${profile}.png`), HEADER_PIXELS, rows.length > 0)
  return { rows, faults }
}

// All rows of the table, of which only those that are in sight are in the page.
async function sandwich(page) {
  const rows = new Map()
  for (;;) {
    const seen = await page.evaluate(() => {
      const cells = [...document.querySelectorAll('tbody tr, tr')].map(row => [...row.cells].map(cell => cell.innerText.trim()))
      return cells.filter(row => row.length === 3 && row[0] !== 'Total')
    })
    // Rows of the same name are different functions, for one reader or another: they differ in something else, or
    // are the same row seen twice.
    seen.forEach(([total, own, name]) => rows.set(`${total} ${own} ${name}`, { name, own: figure(own) }))
    const more = await page.evaluate(() => {
      const list = [...document.querySelectorAll('*')].find(
        each => each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY === 'auto',
      )
      if (!list || list.scrollTop + list.clientHeight >= list.scrollHeight - 1) return false
      list.scrollTop += list.clientHeight / 2
      return true
    })
    if (!more) return [...rows.values()]
    await painted(page)
  }
}

// The `6.33 MB` of `6.33 MB (55%)`.
function figure(text) {
  return text.replace(/ \(.*/, '')
}

const entries = await withServer(RELEASE, files, address =>
  withBrowser(async browser => {
    const entries = []
    for (const file of files) {
      const profile = stem(file)
      const url = `${address}/index.html#profileURL=${encodeURIComponent(`/files/${path.basename(file)}`)}&title=${profile}`
      entries.push(await entry(profile, 'sandwich', () => onPage(browser, url, page => look(page, profile))))
    }
    return entries
  }),
)
say(entries)
