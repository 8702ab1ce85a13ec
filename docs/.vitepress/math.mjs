import katex from 'katex'

const render = (tex, displayMode) => katex.renderToString(tex, { displayMode, throwOnError: true, strict: 'error' })

/** Formulas as GitHub reads them, rendered while the site is built: $x$ in a line, fences of the language math by themselves. */
export function math(md) {
  md.inline.ruler.before('escape', 'math', (state, silent) => {
    if (state.src[state.pos] !== '$') return false
    const found = /^\$(?!\s)((?:[^$\\\n]|\\.)+?)(?<!\s)\$(?!\d)/.exec(state.src.slice(state.pos))
    if (!found) return false
    if (!silent) state.push('math', '', 0).content = found[1].replace(/^`|`$/g, '')
    state.pos += found[0].length
    return true
  })
  // Vue must not read braces in formulas as its own.
  md.renderer.rules.math = (tokens, i) => `<span v-pre>${render(tokens[i].content, false)}</span>`
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, i, options, env, self) =>
    tokens[i].info.trim() === 'math'
      ? `<div class="formula" v-pre>${render(tokens[i].content, true)}</div>`
      : fence(tokens, i, options, env, self)
}
