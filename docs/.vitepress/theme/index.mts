import DefaultTheme from 'vitepress/theme-without-fonts'
import 'katex/dist/katex.min.css'
import './style.css'

export default DefaultTheme
