// A grid of tiles of fixed size. Only those in sight exist, so that 50,000 photographs cost no more than 50.
import { element, shared, thumbnail } from './page.js';

const WIDTH = 108;
const HEIGHT = 128;

/**
 * @param root where the grid goes
 * @param caption text below a photograph
 * @param picked called when the selection changes
 */
export function grid(root, caption, picked) {
  const inner = element('div');
  const scroll = element('div', { class: 'scroll' }, inner);
  inner.style.position = 'relative';
  root.append(scroll);
  let images = [];
  const chosen = new Set();
  const tiles = new Map();
  let queued = false;

  const columns = () => Math.max(1, Math.floor((scroll.clientWidth - 8) / WIDTH));

  function draw() {
    queued = false;
    const across = columns();
    inner.style.height = `${Math.ceil(images.length / across) * HEIGHT + 8}px`;
    const first = Math.max(0, Math.floor(scroll.scrollTop / HEIGHT) - 1) * across;
    const last = Math.min(images.length, first + (Math.ceil(scroll.clientHeight / HEIGHT) + 3) * across);
    const wanted = new Set(images.slice(first, last));
    for (const [image, tile] of tiles) {
      if (!wanted.has(image)) {
        tile.remove();
        tiles.delete(image);
      }
    }
    for (let place = first; place < last; place++) {
      const image = images[place];
      let tile = tiles.get(image);
      if (!tile) {
        tile = element('button', { type: 'button', class: 'tile', 'data-image': image, onclick: event => click(image, event) },
          thumbnail(image), element('span'));
        tiles.set(image, tile);
        inner.append(tile);
      }
      tile.style.width = `${WIDTH - 8}px`;
      tile.style.left = `${8 + (place % across) * WIDTH}px`;
      tile.style.top = `${8 + Math.floor(place / across) * HEIGHT}px`;
      tile.lastChild.textContent = caption(image);
      tile.classList.toggle('chosen', chosen.has(image));
      tile.title = shared.paths[image];
    }
  }

  function later() {
    if (!queued) {
      queued = true;
      requestAnimationFrame(draw);
    }
  }

  /** A click selects, Shift extends, Ctrl or a finger adds or removes one. */
  function click(image, event) {
    const touch = matchMedia('(pointer: coarse)').matches;
    const toggle = event.ctrlKey || event.metaKey || touch;
    if (!event.shiftKey && !toggle) chosen.clear();
    if (event.shiftKey && chosen.size > 0) {
      const from = images.indexOf([...chosen].at(-1));
      const to = images.indexOf(image);
      for (let place = Math.min(from, to); place <= Math.max(from, to); place++) chosen.add(images[place]);
    } else if (toggle && chosen.has(image)) {
      chosen.delete(image);
    } else {
      chosen.add(image);
    }
    later();
    picked();
  }

  scroll.addEventListener('scroll', later, { passive: true });
  const resized = new ResizeObserver(later);
  resized.observe(scroll);
  return {
    show(list) {
      images = list;
      const listed = new Set(list);
      for (const image of chosen) if (!listed.has(image)) chosen.delete(image);
      later();
      picked();
    },
    refresh: later,
    selection: () => [...chosen],
    all() {
      images.forEach(image => chosen.add(image));
      later();
      picked();
    },
    close: () => resized.disconnect(),
  };
}
