// One photograph with suggestions, or a grid of all; the accuracy after every label.
import { element, get, give, guarded, shared } from './page.js';
import { grid } from './grid.js';

const AHEAD = 8;

export function label(root) {
  const photo = element('img', { alt: '' });
  const path = element('figcaption', { class: 'quiet' });
  const bars = element('ul', { class: 'bars' });
  const accuracy = element('div', { id: 'accuracy' });
  const one = element('div', { class: 'one' }, element('figure', {}, photo, path),
    element('div', {}, element('h2', {}, 'Suggestions'), bars,
      element('p', { class: 'quiet keys' }, element('kbd', {}, 'Enter'), ' accepts the first one, digits give a label, ', element('kbd', {}, 'S'), ' skips.'),
      accuracy));
  const filter = element('select', { 'aria-label': 'Which photographs' });
  const gridRoot = element('div', { hidden: true }, element('div', { class: 'row' }, filter,
    element('span', { class: 'quiet' }, 'A click selects, Shift extends, Ctrl toggles. Digits label the selection, Delete removes its labels.')));
  const modes = ['One photograph', 'Grid'].map((name, place) =>
    element('button', { type: 'button', 'aria-pressed': String(place === 0), onclick: () => mode(place === 1) }, name));
  root.append(element('div', { class: 'row' }, ...modes, element('span', { class: 'quiet keys' }, element('kbd', {}, 'G'), ' switches')), one, gridRoot);
  const tiles = grid(gridRoot, image => shared.labels[image] < 0 ? '' : shared.classes[shared.labels[image]], () => {});
  const skipped = new Set();
  let queue = [];
  let inGrid = false;
  let timer = 0;

  function mode(toGrid) {
    inGrid = toGrid;
    one.hidden = toGrid;
    gridRoot.hidden = !toGrid;
    modes[0].setAttribute('aria-pressed', String(!toGrid));
    modes[1].setAttribute('aria-pressed', String(toGrid));
    if (toGrid) list();
    else load();
  }

  function list() {
    const wanted = filter.value || 'all';
    filter.replaceChildren(element('option', { value: 'all' }, 'All photographs'), element('option', { value: '-1' }, 'Without a label'),
      ...shared.classes.map((name, place) => element('option', { value: place }, name)));
    filter.value = wanted;
    tiles.show(shared.paths.map((unused, image) => image).filter(image => wanted === 'all' || String(shared.labels[image]) === wanted));
  }

  const load = guarded(async () => {
    if (shared.state.phase === 'ready') {
      const found = await get(`api/next?count=${AHEAD + skipped.size}`);
      queue = found.filter(next => !skipped.has(next.image) && shared.labels[next.image] < 0);
      measure();
    } else {
      queue = shared.labels.flatMap((at, image) => at < 0 && !skipped.has(image) ? [{ image, top: [] }] : []).slice(0, AHEAD);
    }
    if (queue.length === 0 && skipped.size > 0) {
      skipped.clear();
      await load();
      return;
    }
    draw();
  });

  function draw() {
    const next = queue[0];
    photo.hidden = !next;
    if (!next) {
      path.textContent = 'All photographs have a label.';
      bars.replaceChildren();
      return;
    }
    photo.src = `photograph/${next.image}`;
    photo.alt = shared.paths[next.image];
    photo.dataset.image = next.image;
    path.textContent = shared.paths[next.image];
    bars.replaceChildren(...next.top.map(({ label: name, probability }, place) => element('li', {},
      element('button', { type: 'button', 'data-label': name, onclick: () => choose(name) },
        `${name} ${(100 * probability).toFixed(0)} % `, place === 0 ? element('kbd', {}, 'Enter') : '',
        element('meter', { min: 0, max: 1, value: probability })))));
    if (queue[1]) new Image().src = `photograph/${queue[1].image}`;
  }

  async function choose(name) {
    if (inGrid) {
      await give(tiles.selection(), name);
    } else if (queue.length > 0) {
      const next = queue.shift();
      draw();
      await give([next.image], name);
    }
  }

  const measure = guarded(async () => {
    const now = await get('api/accuracy');
    if (now.value === undefined) {
      accuracy.replaceChildren(element('p', { class: 'quiet' }, 'The accuracy appears after ten labels of two classes.'));
      return;
    }
    const percent = value => (100 * value).toFixed(1);
    accuracy.replaceChildren(element('h2', {}, `Accuracy ${percent(now.value)} %`),
      element('p', { class: 'quiet' }, `${percent(now.lower)} to ${percent(now.upper)} %, leave-one-out on ${now.images} labels`), curve(now.curve));
  });

  function curve(points) {
    const svg = name => document.createElementNS('http://www.w3.org/2000/svg', name);
    const make = (name, attributes, text = '') => {
      const made = svg(name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      made.textContent = text;
      return made;
    };
    const low = Math.min(...points.map(point => point[0]));
    const high = Math.max(low + 1, ...points.map(point => point[0]));
    const x = n => 30 + 260 * (n - low) / (high - low);
    const y = value => 100 - 90 * value;
    const drawn = make('svg', { viewBox: '0 0 300 120', role: 'img', 'aria-label': 'Accuracy over the number of labels' });
    for (const value of [0, 0.5, 1]) {
      drawn.append(make('line', { class: 'axis', x1: 30, x2: 290, y1: y(value), y2: y(value) }), make('text', { x: 0, y: y(value) + 3 }, `${100 * value} %`));
    }
    drawn.append(make('polyline', { class: 'curve', points: points.map(([n, value]) => `${x(n)},${y(value)}`).join(' ') }),
      make('text', { x: 30, y: 116 }, `${low}`), make('text', { x: 250, y: 116 }, `${high} labels`));
    return drawn;
  }

  filter.addEventListener('change', list);
  load();
  return {
    ready: load,
    choose,
    changed(images) {
      if (inGrid) {
        list();
        return;
      }
      // After an undo, the photograph comes back at once.
      const back = images.filter(image => shared.labels[image] < 0).map(image => ({ image, top: [] }));
      queue = [...back, ...queue.filter(next => shared.labels[next.image] < 0 && !back.some(one => one.image === next.image))];
      draw();
      clearTimeout(timer);
      timer = setTimeout(back.length > 0 ? measure : load, 60);
    },
    key(event) {
      if (event.key === 'g') mode(!inGrid);
      else if (inGrid && (event.key === 'Delete' || event.key === 'Backspace')) choose('');
      else if (!inGrid && event.key === 'Enter' && queue[0]?.top[0] && event.target.tagName !== 'BUTTON') choose(queue[0].top[0].label);
      else if (!inGrid && event.key === 's' && queue.length > 0) {
        skipped.add(queue.shift().image);
        if (queue.length > 0) draw();
        else load();
      } else return false;
      return true;
    },
    close() {
      clearTimeout(timer);
      tiles.close();
    },
  };
}
