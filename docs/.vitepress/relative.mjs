import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/**
 * Links, styles and pictures of every page relative to it, so that a folder can be read without a server. Scripts need one: browsers
 * load no modules from files, and the pages do without.
 */
export function relativeLinks(folder) {
  for (const file of pages(folder)) {
    const up = '../'.repeat(relative(folder, file).split(sep).length - 1) || './'
    const html = readFileSync(file, 'utf8')
    writeFileSync(file, html.replace(/(\s(?:href|src)=")\/(?!\/)([^"]*)"/g, (_, before, path) => `${before}${up}${path || 'index.html'}"`))
  }
}

function pages(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? pages(path) : name.endsWith('.html') ? [path] : []
  })
}
