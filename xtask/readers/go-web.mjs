// The pages of `go tool pprof -http`: node go-web.mjs <directory for screenshots> <pprof> <regexp of a function>=<profile> ..

import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'

import { entry, say, stem } from './answer.mjs'
import { onPage, screenshot, settled, withBrowser } from './browser.mjs'

// Of the menu.
const HEADER_PIXELS = 60

const [directory, pprof, ...shown] = process.argv.slice(2)

// Gives `work` the address of a server for `file`.
async function withPprof(file, work) {
  // Without a port it takes one that is free, and says which.
  const child = spawn(pprof, ['-no_browser', '-http=127.0.0.1:', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  try {
    const said = []
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line)
      const found = line.match(/Serving web UI on (http:\S+)/)
      if (found) {
        child.stderr.resume()
        return await work(found[1])
      }
    }
    throw new Error(`no server: ${said.join(' ')}`)
  } finally {
    child.kill()
  }
}

const PAGES = {
  graph: {
    url: '/ui/',
    ready: 'svg g.node',
    rows: () =>
      [...document.querySelectorAll('g.node')].map(node => {
        const title = node.querySelector('a').getAttribute('xlink:title')
        return { name: title.match(/^(.*) \(.*\)$/s)[1], own: null }
      }),
  },
  top: {
    url: '/ui/top',
    ready: '#rows tr',
    rows: () =>
      [...document.querySelectorAll('#rows tr')].map(row => {
        const [own, , , , , name] = [...row.cells].map(cell => cell.innerText.trim())
        return { name, own }
      }),
  },
  flamegraph: {
    url: '/ui/flamegraph',
    ready: 'g.frame',
    rows: () =>
      [...document.querySelectorAll('g.frame title')]
        .map(title => ({ name: title.textContent.match(/^(.*) \([^,]*, .*\)$/s)[1], own: null }))
        // The reader's own.
        .filter(({ name }) => name !== 'root'),
  },
  // Of a program whose file is there and can be loaded anywhere, this page shows nothing in Go 1.19.
  source: { url: '/ui/source', ready: '#content', rows: () => [], hasContent: false },
}

const entries = await withBrowser(async browser => {
  const entries = []
  for (const each of shown) {
    const split = each.indexOf('=')
    const [wanted, file] = [each.slice(0, split), each.slice(split + 1)]
    const profile = stem(file)
    const all = withPprof(file, async address => {
      for (const [name, { url, ready, rows, hasContent = true }] of Object.entries(PAGES)) {
        const query = name === 'source' ? `?f=${encodeURIComponent(wanted)}` : ''
        const look = async page => {
          await page.waitForSelector(ready)
          await settled(page)
          const picture = path.join(directory, `go-${name}-${profile}.png`)
          const faults = await screenshot(page, picture, HEADER_PIXELS, hasContent)
          // What is behind the profile's name, in the corner.
          const details = await page.$$eval('#detailsbox div', all => all.map(each => each.textContent).join('\n'))
          const text = await page.evaluate(() => document.body.innerText)
          return { rows: await page.evaluate(rows), text, faults, ...said(details) }
        }
        entries.push(await entry(profile, name, () => onPage(browser, address + url + query, look)))
      }
    })
    await all.catch(error => entries.push({ profile, page: 'server', rows: [], text: '', faults: [error.message] }))
  }
  return entries
})

function said(details) {
  const kind = details.match(/^Type: (\S+)/m)?.[1] ?? null
  const total = details.match(/Total samples = (\S+)/)?.[1] ?? null
  return { kind, total }
}
say(entries)
