// Writes profiles that readers are known to fail on: node spoil.mjs <directory> <profile>

import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'

import { Profile } from 'pprof-format'

import { say } from './answer.mjs'

const [directory, file] = process.argv.slice(2)

const SPOILERS = {
  // Readers drop a location that has none.
  'no-lines': profile => profile.location.forEach(location => (location.line = [])),
  // A reader takes the index of the default type's name for the position of that type.
  'strings-in-another-order': profile => {
    const { strings } = profile.stringTable
    const text = strings[Number(profile.defaultSampleType)]
    profile.defaultSampleType = strings.length
    strings.push(text)
  },
  'minus-one': profile => profile.sample.forEach(sample => (sample.value = sample.value.map(() => -1))),
}

const written = Object.entries(SPOILERS).map(([name, spoil]) => {
  const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(file)))
  spoil(profile)
  const spoilt = path.join(directory, `${name}.pb.gz`)
  fs.writeFileSync(spoilt, zlib.gzipSync(profile.encode()))
  return spoilt
})
say(written)
