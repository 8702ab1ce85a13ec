import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { math } from './math.mjs'
import { relativeLinks } from './relative.mjs'

const docs = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const repository = 'https://github.com/gramian/gramian'

/** Anchors as GitHub makes them, so that one link works in both places. */
const slug = (title: string) =>
  title.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-')

/** Links that leave docs/ lead to the repository; pages are checked by VitePress, the rest by .ci/docs. */
function linksToSources(md: any) {
  md.core.ruler.push('links-to-sources', (state: any) => {
    for (const block of state.tokens)
      for (const token of block.children ?? []) {
        if (token.type !== 'link_open') continue
        const href: string = token.attrGet('href')
        if (/^([a-z]+:|#|\/)/.test(href)) continue
        const [path, anchor] = href.split('#')
        const target = resolve(docs, dirname(state.env.relativePath), decodeURI(path))
        const page = /\.md$/.test(path) && target.startsWith(docs + '/') && existsSync(target)
        if (page) continue
        const inRepository = target.slice(dirname(docs).length + 1)
        token.attrSet('href', `${repository}/blob/main/${inRepository}${anchor ? '#' + anchor : ''}`)
      }
  })
}

export default defineConfig({
  lang: 'en',
  title: 'Gramian',
  description: 'Kernel SPD representations of images, for the JVM',
  base: process.env.DOCS_BASE ?? '/',
  srcExclude: ['node_modules/**'],
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  lastUpdated: false,
  markdown: {
    anchor: { slugify: slug },
    config: (md) => md.use(math).use(linksToSources),
    theme: { light: 'github-light', dark: 'github-dark' },
    languageAlias: { sh: 'bash', math: 'latex' }
  },
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  buildEnd: ({ outDir }) => relativeLinks(outDir),
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Tutorial', link: '/photographs' },
      { text: 'Java', link: '/java' },
      { text: 'Commands', link: '/commands' },
      { text: 'Results', link: '/results/README' }
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'Your own photographs', link: '/photographs' },
          { text: 'Install', link: '/install' },
          { text: 'How it works', link: '/concepts' },
          { text: 'Java in one page', link: '/java' },
          { text: 'Troubleshooting', link: '/troubleshooting' },
          { text: 'Glossary', link: '/glossary' }
        ]
      },
      {
        text: 'Use',
        items: [
          { text: 'Training', link: '/training' },
          { text: 'Datasets', link: '/datasets' },
          { text: 'Import weights', link: '/import-weights' },
          { text: 'Backbones', link: '/backbones' },
          { text: 'Evaluation and scores', link: '/evaluation' },
          { text: 'Robustness', link: '/robustness' },
          { text: 'Where it looked', link: '/where' },
          { text: 'Similar photographs', link: '/similar' },
          { text: 'Export to ONNX', link: '/onnx' },
          { text: 'Serving', link: '/serving' },
          { text: 'Spark', link: '/spark' },
          { text: 'A billion images', link: '/scale' }
        ]
      },
      {
        text: 'Reference',
        items: [
          { text: 'The command line', link: '/cli' },
          { text: 'Commands, option by option', link: '/commands' },
          { text: 'Recipes, key by key', link: '/recipes' },
          { text: 'The model file', link: '/model-format' },
          { text: 'Numerics', link: '/numerics' }
        ]
      },
      {
        text: 'Evidence',
        items: [
          { text: 'The paper, equation by equation', link: '/paper' },
          { text: 'Results', link: '/results/README' },
          { text: 'Data and protocols', link: '/data' },
          { text: "The paper's claims, tested", link: '/claims' },
          { text: 'Repeat our results', link: '/reproduce' },
          { text: "Run the paper's experiments", link: '/reproduce-paper' },
          { text: 'Related work', link: '/related-work' },
          { text: 'Cite', link: '/cite' },
          { text: 'Speed', link: '/speed' },
          { text: 'What it costs', link: '/performance' },
          { text: 'Reliability', link: '/reliability' }
        ]
      },
      {
        text: 'Project',
        items: [
          { text: 'Extending', link: '/extending' },
          { text: 'Architecture', link: '/architecture' },
          { text: 'Attacks and what they found', link: '/attacks' },
          { text: 'Decisions', link: '/decisions/README' }
        ]
      }
    ],
    docFooter: { prev: 'Before', next: 'Next' },
    footer: { message: 'Apache-2.0' }
  }
})
