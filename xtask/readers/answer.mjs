// What a reader's script says: one JSON value, a list with an entry for each profile and page.
//
// { profile, page, kind, total, rows: [{ name, own }], text, faults }; figures as they are shown.

import path from 'node:path'

export function stem(file) {
  return path.basename(file, '.pb.gz')
}

// The entry for one page, empty but for what went wrong in `look`.
export async function entry(profile, page, look) {
  const blank = { profile, page, kind: null, total: null, rows: [], text: '', faults: [] }
  try {
    return { ...blank, ...(await look()) }
  } catch (error) {
    return { ...blank, faults: [String(error.message ?? error)] }
  }
}

export function say(entries) {
  process.stdout.write(JSON.stringify(entries))
}
