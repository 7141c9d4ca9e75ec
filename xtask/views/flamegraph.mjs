// The page's flamegraph: what it draws, and what it does when somebody searches, clicks, or presses keys.

import { must, mustBe } from './checks.mjs'
import { matching, sharesOf, stacksOf, totalOf } from './folded.mjs'

const GRAPH = '#flamegraph'
// In pixels: borders, and fractions of one.
const NEAR = 2
// Cells that are too narrow are not drawn, so a function may have less than it should.
const NOT_DRAWN = 0.02
// Of the depths, so many are compared name by name.
const DEPTHS = 12

// All cells, in the order in which they stand in the document.
export function cellsOf(page) {
  return page.$eval(GRAPH, graph => {
    const frame = graph.getBoundingClientRect()
    const cells = [...graph.querySelectorAll('.cell')]
    const tops = [...new Set(cells.map(cell => parseFloat(cell.style.top)))].sort((a, b) => a - b)
    return cells.map((cell, index) => {
      const [, name, value] = cell.getAttribute('aria-label').match(/^(.*), ([\d.,]+(?: \w+)?), [\d.]+%$/s)
      const { left, width } = cell.getBoundingClientRect()
      // As the page asks for it: what is a part of a pixel is not rounded here.
      const [from, share] = [cell.style.left, cell.style.width].map(text => parseFloat(text) / 100)
      const has = word => cell.classList.contains(word)
      return {
        index, name, value, width, from, to: from + share, left: left - frame.left - graph.clientLeft, depth: tops.indexOf(parseFloat(cell.style.top)),
        match: has('match'), above: has('above'), selected: has('selected'), whole: graph.clientWidth,
      }
    })
  })
}

const outline = cells => JSON.stringify(cells.map(({ name, depth, left, width }) => [name, depth, Math.round(left), Math.round(width)]))
const middle = cell => (cell.from + cell.to) / 2
const isBelow = (cell, other) => other.from < middle(cell) && middle(cell) < other.to
const ancestors = (cells, cell) => cells.filter(other => other.depth < cell.depth && isBelow(cell, other))
const children = (cells, cell) => cells.filter(other => other.depth === cell.depth + 1 && isBelow(other, cell))
const selected = cells => cells.find(cell => cell.selected)

export async function click(page, cell) {
  const handle = await page.evaluateHandle(index => document.querySelectorAll('#flamegraph .cell')[index], cell.index)
  // Not below what sticks to the edge of the window.
  await handle.evaluate(cell => cell.scrollIntoView({ block: 'center' }))
  await handle.click()
}

// Asks that the graph shows `cell`, as it was among `before`, over its whole width, below all that call it.
async function mustBeZoomed(page, before, cell) {
  const after = await cellsOf(page)
  const now = selected(after)
  must(now?.name === cell.name && now.depth === cell.depth, `after ${cell.name} it looks at ${now?.name}`)
  must(Math.abs(now.width - now.whole) <= NEAR, `${cell.name} is ${now.width} of ${now.whole} pixels wide`)
  const above = after.filter(other => other.above)
  const callers = ancestors(before, cell).map(({ name }) => name)
  must(JSON.stringify(above.map(({ name }) => name)) === JSON.stringify(callers), `above ${cell.name} stand ${above.map(({ name }) => name)}, not ${callers}`)
  must(above.every(({ width, whole }) => Math.abs(width - whole) <= NEAR), 'its callers are not as wide')
  const scale = now.whole / cell.width
  const wanted = children(before, cell).filter(child => child.width * scale > 5 * NEAR)
  const shown = children(after, now)
  for (const child of wanted) {
    const grown = shown.find(other => other.name === child.name)
    // What was a few pixels wide was rounded to them.
    must(grown && Math.abs(grown.width - child.width * scale) <= NEAR * scale, `${child.name} did not grow with its caller`)
  }
}

async function mustBeWhole(page, before, how) {
  must(outline(await cellsOf(page)) === outline(before), `${how} does not bring back the whole picture`)
}

// Something to look at: not all of it, not a sliver, and it calls something.
function worthAClick(cells) {
  const fits = least => cell => cell.depth > 1 && cell.width > least * cell.whole && cell.width < 0.9 * cell.whole && children(cells, cell).length > 0
  const cell = cells.find(fits(0.03)) ?? cells.find(fits(0.005))
  must(cell, 'there is no cell to look at')
  return cell
}

export async function flamegraph(page, check, { folded, search }) {
  const live = stacksOf(folded['live bytes'])

  await check('search', async () => {
    await page.type('#search', search)
    const text = await page.$eval('#matched', output => output.textContent)
    const [, amount, share] = text.match(/^(.*), ([\d.]+)% in what matches$/) ?? []
    must(amount, `it says ${JSON.stringify(text)}`)
    // Each line of the folded stacks is rounded.
    const [wanted, total] = [matching(live, search), totalOf(live)]
    mustBe(amount, wanted, live.length / 2, 'what matches')
    must(Math.abs(Number(share) - (100 * wanted) / total) < 0.06, `${share} % matches, not ${(100 * wanted) / total}`)
    const cells = await cellsOf(page)
    const wrong = cells.find(({ name, match }) => match !== name.toLowerCase().includes(search.toLowerCase()))
    must(!wrong, `${wrong?.name} is ${wrong?.match ? '' : 'not '}marked`)
    const marked = cells.filter(({ match }) => match).length
    must(marked > 0, 'no cell is marked')
    await page.type('#search', ' no such function')
    must((await cellsOf(page)).every(({ match }) => !match), 'cells are marked that do not match')
    await clear(page)
    must((await page.$eval('#matched', output => output.textContent)) === '', 'it counts matches of nothing')
    return `${marked} of ${cells.length} cells, ${text}`
  })

  await moves(page, check)

  for (const [figure, file] of Object.entries(folded)) {
    await check(`widths by ${figure}`, async () => {
      await page.select('#figure', figure)
      const cells = await cellsOf(page)
      const shares = sharesOf(stacksOf(file), 0.03).filter(({ depth }) => depth < DEPTHS)
      for (const { depth, name, share } of shares) {
        const of = cells.filter(cell => cell.depth === depth + 1 && plain(cell.name) === name)
        const shown = of.reduce((sum, { width }) => sum + width, 0) / cells[0].whole
        must(shown <= share + 0.002 && shown >= share - NOT_DRAWN, `${name}, ${depth} deep, has ${shown} of the width, not ${share}`)
      }
      await page.select('#figure', 'live bytes')
      return `${shares.length} functions`
    })
  }

  await check('figures differ', async () => {
    const pictures = []
    for (const figure of Object.keys(folded)) {
      await page.select('#figure', figure)
      pictures.push(outline(await cellsOf(page)))
    }
    await page.select('#figure', 'live bytes')
    must(new Set(pictures).size === pictures.length, 'all figures have one picture')
  })

  await check('inlined functions', async () => {
    const inlined = await page.$eval('#profile', profile => {
      const { frames } = JSON.parse(profile.textContent)
      const never = new Set(frames.filter(frame => !frame.inlined).map(frame => frame.function))
      return frames.map(frame => frame.function).filter(name => !never.has(name))
    })
    const isInlined = ({ name }) => inlined.includes(name)
    const before = await cellsOf(page)
    await page.click('#inlined')
    const without = await cellsOf(page)
    await page.click('#inlined')
    must(!without.some(isInlined), `${without.find(isInlined)?.name} is inlined`)
    must(without[0].value === before[0].value, 'the whole is not the same without inlined functions')
    await mustBeWhole(page, before, 'the box')
    const gone = before.filter(isInlined).length
    must(gone > 0 || inlined.length === 0, 'no inlined function is shown')
    return `${gone} cells gone, ${before.length} are ${without.length}`
  })
}

// What it does when somebody clicks or presses keys.
export async function moves(page, check) {
  await check('zoom by click', async () => {
    const before = await cellsOf(page)
    const cell = worthAClick(before)
    await click(page, cell)
    await mustBeZoomed(page, before, cell)
    await page.keyboard.press('Escape')
    await mustBeWhole(page, before, 'Escape')
    await click(page, cell)
    await mustBeZoomed(page, before, cell)
    // And from there to one of its callers.
    const zoomed = await cellsOf(page)
    await click(page, zoomed[1])
    const caller = ancestors(before, cell)[1]
    await mustBeZoomed(page, before, caller)
    await page.click('#reset')
    await mustBeWhole(page, before, 'the button')
    return `${before.length} cells, ${Math.round(cell.width)} to ${cell.whole} pixels`
  })

  await check('keys', async () => {
    const before = await cellsOf(page)
    await page.focus(GRAPH)
    const now = async () => {
      const cell = selected(await cellsOf(page))
      const told = await page.$eval('#frame', line => line.textContent)
      must(cell && told.startsWith(cell.name), `below it says ${told}, and ${cell?.name} is chosen`)
      return cell
    }
    const press = async key => {
      await page.keyboard.press(key)
      return now()
    }
    let cell = await now()
    must(cell.depth === 0, 'it does not begin at the root')
    const deeper = async () => {
      const below = children(before, cell)
      const next = await press('ArrowDown')
      must(next.depth === cell.depth + 1 && below.some(({ index }) => index === next.index), `down from ${cell.name} is ${next.name}`)
      cell = next
    }
    // To where several functions are called.
    while (children(before, cell).length < 2) await deeper()
    await deeper()
    const right = await press('ArrowRight')
    must(right.depth === cell.depth && Math.abs(right.left - cell.left - cell.width) <= NEAR, `right of ${cell.name} is ${right.name}`)
    must((await press('ArrowLeft')).index === cell.index, 'left is not where right came from')
    const up = await press('ArrowUp')
    must(up.depth === cell.depth - 1 && isBelow(cell, up), `up from ${cell.name} is ${up.name}`)
    await press('ArrowDown')
    await page.keyboard.press('Enter')
    await mustBeZoomed(page, before, cell)
    await page.keyboard.press('Escape')
    await mustBeWhole(page, before, 'Escape')
    return `${cell.depth} levels down, ${cell.name}`
  })
}

// A name as it stands in folded stacks.
function plain(name) {
  return name.replaceAll(';', ',').replace(/ ([\d.]+)$/, '_$1')
}

// Empties the search, as somebody would.
export async function clear(page) {
  await page.click('#search', { count: 3 })
  await page.keyboard.press('Backspace')
}
