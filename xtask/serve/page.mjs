// The page of a running program: node page.mjs <directory for screenshots> <description of a program, JSON> ..
//
// A description has what is known of the program: { name, url, token, search, leak, losses, lifetimes, tags, controls, purge, sites,
// evil }. `url` is the page's; `token` what the browser is asked for, if anything; `search` a part of some names; `leak` a part of the
// place that grew most since the first moment; `losses` a part of each loss; `lifetimes`, `controls`, `purge`: whether there are any;
// `tags` names of tags; `sites` how many there are; `evil` a name that shall be text, if there is one.

import path from 'node:path'

import { painted } from '../readers/browser.mjs'
import { bounds } from '../views/bounds.mjs'
import { checksOf, must, sayAll } from '../views/checks.mjs'
import { colours } from '../views/colours.mjs'
import { moves } from '../views/flamegraph.mjs'
import { memory } from '../views/memory.mjs'
import { functions } from '../views/tables.mjs'
import { chart } from './chart.mjs'
import { controls } from './controls.mjs'
import { evil } from './evil.mjs'
import { growth } from './growth.mjs'
import { head } from './head.mjs'
import { keyboard } from './keyboard.mjs'
import { lines } from './lines.mjs'
import { answer, compare, open, still } from './live.mjs'
import { pace } from './pace.mjs'
import { profile } from './profile.mjs'
import { tags } from './tags.mjs'
import { trouble } from './trouble.mjs'

const WRITTEN = ['#process', '#reading', '#chart text', 'legend', '#legend label', '#compared', '#updated', '#taken', 'button', 'select', 'input']

const [directory, ...descriptions] = process.argv.slice(2)

async function look(page, shown) {
  const requests = []
  page.on('request', request => requests.push(request.url()))
  const again = () => open(page, shown)
  await again()
  // If it cannot be opened any more, the next check says so.
  const { all, check } = checksOf(shown.name, () => again().catch(() => null))
  const picture = async what => {
    await painted(page)
    await page.screenshot({ path: path.join(directory, `serve-${shown.name}-${what}.png`) })
  }
  await picture('first')
  await head(page, check, shown)
  await still(page, () => memory(page, check, true, () => answer(page, 'stats').memory))
  await chart(page, check)
  await growth(page, check, shown)
  await picture('compared')
  await bounds(page, check, shown)
  await moves(page, check)
  await functions(page, check, { ...shown, top: {}, lifetimes: null })
  await profile(page, check, shown)
  await tags(page, check, shown)
  await keyboard(page, check)
  if (shown.evil) await evil(page, check, shown)
  const compared = async () => {
    await again()
    await compare(page)
  }
  await compared()
  await colours(page, check, shown, { picture, again: compared, more: WRITTEN })
  await lines(page, check)
  await pace(page, check)
  await trouble(page, check, shown)
  await controls(page, check, shown)
  await check('requests', () => {
    const { origin } = new URL(shown.url)
    const others = requests.filter(each => !each.startsWith(`${origin}/`) && !each.startsWith('data:'))
    must(others.length === 0, `it asks for ${others[0]}`)
    must(requests.includes(shown.url), 'nothing was asked for')
    return `${requests.length}`
  })
  return { all }
}

await sayAll(descriptions, look)
