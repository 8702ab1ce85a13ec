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
      { text: 'How-to', link: '/prepare-images' },
      { text: 'Commands', link: '/commands' },
      { text: 'Java', link: '/java' },
      { text: 'Results', link: '/results/README' }
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'What it is, and what it is not', link: '/limits' },
          { text: 'Install', link: '/install' },
          { text: 'Tutorial: your own photographs', link: '/photographs' },
          { text: 'Tutorial: a Java application', link: '/java-tutorial' },
          { text: 'Tutorial: label in the studio', link: '/studio' }
        ]
      },
      {
        text: 'How-to',
        items: [
          { text: 'Prepare images', link: '/prepare-images' },
          { text: 'Train a model', link: '/training' },
          { text: 'Improve the accuracy', link: '/improve-accuracy' },
          { text: 'Search for the best settings', link: '/search' },
          { text: 'Fine-tune the backbone', link: '/fine-tune' },
          { text: 'Find wrong labels', link: '/labels' },
          { text: 'Reject unknown images', link: '/unknown' },
          { text: 'Find defects', link: '/defects' },
          { text: 'Robustness', link: '/robustness' },
          { text: 'See where the model looked', link: '/where' },
          { text: 'Map a large photograph', link: '/maps' },
          { text: 'Add images and retrain', link: '/add-images' },
          { text: 'Predict in bulk', link: '/predict-in-bulk' },
          { text: 'Find similar photographs', link: '/similar' },
          { text: 'Serve and monitor', link: '/serving' },
          { text: 'Export to ONNX', link: '/onnx' },
          { text: 'Run in a container', link: '/container' },
          { text: 'Import weights', link: '/import-weights' },
          { text: 'Several machines', link: '/several-machines' },
          { text: 'Spark', link: '/spark' },
          { text: 'OpenSearch, pgvector, Faiss', link: '/vector-databases' },
          { text: 'Search a billion images', link: '/similar-scale' },
          { text: 'Plan a billion images', link: '/scale' },
          { text: 'Troubleshooting', link: '/troubleshooting' }
        ]
      },
      {
        text: 'Concepts',
        items: [
          { text: 'How it works', link: '/concepts' },
          { text: 'Training, step by step', link: '/how-training-works' },
          { text: 'Reading scores', link: '/evaluation' },
          { text: 'The closed-form classifier', link: '/closed-form' },
          { text: 'Novelty and sets of classes', link: '/uncertainty' }
        ]
      },
      {
        text: 'Reference',
        items: [
          { text: 'Commands, option by option', link: '/commands' },
          { text: 'The command line', link: '/cli' },
          { text: 'Recipes', link: '/recipes' },
          { text: 'Aggregators', link: '/aggregators' },
          { text: 'Java', link: '/java' },
          { text: 'Java: the mathematics', link: '/java-mathematics' },
          { text: 'HTTP', link: '/http' },
          { text: 'Maps and defects over HTTP', link: '/http-maps' },
          { text: 'Backbones', link: '/backbones' },
          { text: 'Dataset layouts', link: '/datasets' },
          { text: 'The model file', link: '/model-format' },
          { text: 'Numerics', link: '/numerics' },
          { text: 'Glossary', link: '/glossary' }
        ]
      },
      {
        text: 'Research',
        items: [
          { text: 'Results', link: '/results/README' },
          { text: 'Data and protocols', link: '/data' },
          { text: 'The paper and its errata', link: '/paper' },
          { text: "The paper's claims, tested", link: '/claims' },
          { text: 'Repeat our results', link: '/reproduce' },
          { text: "Run the paper's experiments", link: '/reproduce-paper' },
          { text: 'Run a grid of experiments', link: '/grids' },
          { text: 'The lab', link: '/lab' },
          { text: 'Related work', link: '/related-work' },
          { text: 'Cite', link: '/cite' }
        ]
      },
      {
        text: 'Project',
        items: [
          { text: 'Security', link: repository + '/blob/main/SECURITY.md' },
          { text: 'Reliability', link: '/reliability' },
          { text: 'Attacks and what they found', link: '/attacks' },
          { text: 'Performance', link: '/performance' },
          { text: 'Speed', link: '/speed' },
          { text: 'Benchmarks', link: '/benchmarks' },
          { text: 'Architecture', link: '/architecture' },
          { text: 'Extending', link: '/extending' },
          { text: 'Decisions', link: '/decisions/README' },
          { text: 'Contributing', link: repository + '/blob/main/CONTRIBUTING.md' },
          { text: 'Changelog', link: repository + '/blob/main/CHANGELOG.md' }
        ]
      }
    ],
    docFooter: { prev: 'Before', next: 'Next' },
    footer: { message: 'Apache-2.0' }
  }
})
