// The pages that `allometer report` writes: node page.mjs <directory for screenshots> <description of a page, JSON> ..
//
// A description has what the command line says of the same profile: { name, html, search, totals, losses, folded, top,
// lifetimes, diff, evil, sites }.

import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { painted } from '../readers/browser.mjs'
import { bounds } from './bounds.mjs'
import { checksOf, must, sayAll } from './checks.mjs'
import { colours } from './colours.mjs'
import { flamegraph } from './flamegraph.mjs'
import { memory } from './memory.mjs'
import { changes, functions, head, sortBy } from './tables.mjs'

const [directory, ...descriptions] = process.argv.slice(2)

async function look(page, shown) {
  const url = pathToFileURL(shown.html).href
  const requests = []
  page.on('request', request => requests.push(request.url()))
  await page.goto(url)
  const { all, check } = checksOf(shown.name, () => page.reload())
  const picture = async what => {
    await painted(page)
    await page.screenshot({ path: path.join(directory, `page-${shown.name}-${what}.png`) })
  }
  await picture('first')
  await head(page, check, shown)
  await bounds(page, check, shown)
  await flamegraph(page, check, shown)
  await functions(page, check, shown)
  await changes(page, check, shown)
  await memory(page, check, shown.name === 'demo', () => page.$eval('#profile', profile => JSON.parse(profile.textContent).memory))
  if (shown.evil) await evil(page, check, shown)
  await colours(page, check, shown, { picture, again: () => page.reload() })
  await check('requests', () => {
    const others = requests.filter(each => each !== url && !each.startsWith('data:'))
    must(others.length === 0, `it asks for ${others[0]}`)
    must(requests.includes(url), 'nothing was asked for')
  })
  return { all }
}

// A name that would be a part of the page, were it not written as text.
async function evil(page, check, { evil }) {
  await check('names are text', async () => {
    // It holds the most, and of what is new as well.
    await sortBy(page, '#functions', 'live', 'descending')
    await sortBy(page, '#grown-table', 'growth', 'descending')
    const seen = await page.evaluate(name => {
      const has = selector => [...document.querySelectorAll(selector)].some(each => each.textContent.includes(name))
      return {
        images: document.images.length,
        title: document.title,
        places: ['h1', '#about', '#losses li', '#comments li', '#functions td', '#grown-table td'].filter(selector => !has(selector)),
      }
    }, evil)
    must(seen.images === 0, 'a name has become an image')
    must(seen.title.includes(evil), `the title is ${seen.title}`)
    must(seen.places.length === 0, `it is not shown in ${seen.places}`)
  })
}

await sayAll(descriptions, look)
