// What npm's pprof-format decodes, held against the format's rules: node pprof-format.mjs <profile> ..

import fs from 'node:fs'
import zlib from 'node:zlib'

import { Profile } from 'pprof-format'

import { entry, say, stem } from './answer.mjs'

function look(file) {
  const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(file)))
  const strings = profile.stringTable.strings
  const faults = []
  const text = index => {
    const found = strings[Number(index)]
    if (found === undefined) faults.push(`there is no string ${index}`)
    return found ?? ''
  }
  const types = profile.sampleType.map(each => `${text(each.type)}/${text(each.unit)}`)
  const wanted = ['alloc_objects/count', 'alloc_space/bytes', 'inuse_objects/count', 'inuse_space/bytes']
  if (types.join() !== wanted.join()) faults.push(`the types are ${types}`)
  if (strings[0] !== '') faults.push('the first string is not empty')
  if (new Set(strings).size !== strings.length) faults.push('a string is there twice')
  const period = `${text(profile.periodType?.type)}/${text(profile.periodType?.unit)}`
  if (period !== 'space/bytes') faults.push(`the period's type is ${period}`)
  if (profile.timeNanos <= 0) faults.push('no time')

  const tables = Object.fromEntries(
    ['mapping', 'location', 'function'].map(table => [table, new Map(profile[table].map(each => [Number(each.id), each]))]),
  )
  for (const [name, table] of Object.entries(tables)) {
    const ids = profile[name].map(each => Number(each.id))
    if (table.size !== ids.length || ids.some((id, position) => id !== position + 1)) {
      faults.push(`the ids of the ${name}s are not 1, 2, 3 ..`)
    }
  }
  for (const mapping of profile.mapping) text(mapping.filename)
  for (const each of profile.function) {
    if (text(each.name) === '') faults.push(`function ${each.id} has no name`)
    text(each.systemName)
    text(each.filename)
  }
  const rows = new Map()
  const row = id => {
    const name = text(tables.function.get(Number(id))?.name)
    if (!rows.has(name)) rows.set(name, { own: 0n })
    return rows.get(name)
  }
  for (const location of profile.location) {
    const mapping = tables.mapping.get(Number(location.mappingId))
    if (!mapping) faults.push(`location ${location.id} is in no mapping`)
    if (location.line.length === 0) faults.push(`location ${location.id} has no line`)
    for (const line of location.line) {
      const found = tables.function.get(Number(line.functionId))
      if (!found) faults.push(`location ${location.id} is in no function`)
      // Go looks for names itself unless one of the flags is set, and these are to be true.
      const is = { functions: found && text(found.name) !== text(found.systemName), files: found && text(found.filename) !== '' }
      if (is.functions && !mapping?.hasFunctions) faults.push(`mapping ${mapping?.id} has functions and does not say so`)
      if (is.files && !mapping?.hasFilenames) faults.push(`mapping ${mapping?.id} has files and does not say so`)
      if (line.line > 0 && !mapping?.hasLineNumbers) faults.push(`mapping ${mapping?.id} has lines and does not say so`)
    }
  }
  let total = 0n
  for (const sample of profile.sample) {
    if (sample.value.length !== types.length) faults.push('a sample has another number of values')
    const value = BigInt(sample.value.at(-1))
    if (sample.value.some(each => each < 0)) faults.push('a value is negative')
    total += value
    const stack = sample.locationId.flatMap(id => tables.location.get(Number(id))?.line ?? [])
    if (stack.length > 0) row(stack[0].functionId).own += value
    stack.forEach(line => row(line.functionId))
  }
  const shown = ([name, { own }]) => ({ name, own: `${own}` })
  const kind = text(profile.defaultSampleType)
  return { kind, total: `${total}`, rows: [...rows].map(shown), faults: [...new Set(faults)].slice(0, 5) }
}

say(await Promise.all(process.argv.slice(2).map(file => entry(stem(file), 'decoded', () => look(file)))))
