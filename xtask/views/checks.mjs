// What a script that looks at our own pages says: a list of { at, what, seen, fault }, a promise each.

import fs from 'node:fs'

import { onPage, withBrowser } from '../readers/browser.mjs'

// Asks that something is so.
export function must(isSo, fault) {
  if (!isSo) throw new Error(fault)
}

// A list of checks of one page; `again` is called after one that failed, so that the next one finds the page as it was.
export function checksOf(at, again) {
  const all = []
  return {
    all,
    async check(what, look) {
      try {
        all.push({ at, what, seen: String((await look()) ?? ''), fault: null })
      } catch (error) {
        all.push({ at, what, seen: '', fault: String(error.message ?? error) })
        await again?.()
      }
    },
  }
}

const UNITS = {
  B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30,
  µs: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400,
}

// The first figure in a text, and how far what it was rounded from may be from it: "5.1 MiB ± 0.2", "1,234", "+3.0 ms".
export function figure(text) {
  const found = text.trim().match(/^([+-]?[\d,]+(?:\.(\d+))?)(?: ([A-Za-zµ]+))?/)
  if (!found) return null
  const unit = UNITS[found[3]] ?? 1
  const value = Number(found[1].replaceAll(',', '')) * unit
  return { value, within: 0.5 * 10 ** -(found[2]?.length ?? 0) * unit }
}

// Asks that a figure as it is shown is `value`, but for how it is rounded and `more`.
export function mustBe(text, value, more, what) {
  const shown = figure(text)
  must(shown && Math.abs(shown.value - value) <= shown.within * 1.001 + more, `${what}: it shows ${text}, not ${value}`)
}

// Looks at what each file describes, on a page of its own, and says what was found.
export async function sayAll(descriptions, look) {
  const entries = await withBrowser(async browser => {
    const entries = []
    for (const file of descriptions) {
      const shown = JSON.parse(fs.readFileSync(file, 'utf8'))
      try {
        const { all, faults } = await onPage(browser, 'about:blank', page => look(page, shown))
        entries.push(...all, { at: shown.name, what: 'errors', fault: faults[0] ?? null })
      } catch (error) {
        entries.push({ at: shown.name, what: 'opening it', fault: error.message })
      }
    }
    return entries
  })
  process.stdout.write(JSON.stringify(entries))
}
