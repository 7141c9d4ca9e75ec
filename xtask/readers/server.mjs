// A directory and some files, served on loopback.

import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'

const TYPES = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.png': 'image/png' }

// Serves what is in `directory`, and `files` by their base names below /files/, while `work` has its address.
export async function withServer(directory, files, work) {
  const known = new Map(files.map(file => [`/files/${path.basename(file)}`, file]))
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    const file = known.get(pathname) ?? path.join(directory, path.normalize(pathname))
    const type = TYPES[path.extname(file)] ?? 'application/octet-stream'
    fs.readFile(file, (error, bytes) => {
      if (error) response.writeHead(404).end()
      else response.writeHead(200, { 'content-type': type }).end(bytes)
    })
  })
  await new Promise(ready => server.listen(0, '127.0.0.1', ready))
  try {
    return await work(`http://127.0.0.1:${server.address().port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}
