// Folded stacks, as the command line writes them: what a page shows is held against them.

import fs from 'node:fs'

// The stacks of a file, as { names, value }, root first.
export function stacksOf(file) {
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map(line => {
    const end = line.lastIndexOf(' ')
    return { names: line.slice(0, end).split(';'), value: Number(line.slice(end + 1)) }
  })
}

export function totalOf(stacks) {
  return stacks.reduce((sum, { value }) => sum + value, 0)
}

// How much has a function with `part` in its name on its stack, in whatever case.
export function matching(stacks, part) {
  const has = name => name.toLowerCase().includes(part.toLowerCase())
  return totalOf(stacks.filter(({ names }) => names.some(has)))
}

// Shares of the whole by depth and name, for those that have at least `least`.
export function sharesOf(stacks, least) {
  const total = totalOf(stacks)
  const shares = new Map()
  for (const { names, value } of stacks) {
    names.forEach((name, depth) => {
      const key = JSON.stringify([depth, name])
      shares.set(key, (shares.get(key) ?? 0) + value / total)
    })
  }
  const large = [...shares].filter(([, share]) => share >= least)
  return large.map(([key, share]) => {
    const [depth, name] = JSON.parse(key)
    return { depth, name, share }
  })
}
