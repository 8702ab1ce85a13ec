// One photograph with suggestions, or a grid of all; the accuracy after every label.
import { $, classesInUse, digit, element, get, give, guarded, open, paint, percent, photographs, retarget, shared, suspected, toast } from './page.js';
import { curve } from './curve.js';
import { grid } from './grid.js';

const AHEAD = 12;

/** Looking for photographs of an unknown class takes longer than a suggestion. */
const LABELS_PER_LOOK = 10;

export function label(root) {
  const photo = element('img', { alt: '' });
  const path = element('figcaption', { class: 'quiet' });
  const fresh = element('p', { class: 'badge', hidden: true }, 'Like none of your classes. If it is a new class, press N.');
  const bars = element('ul', { class: 'bars' }, element('li', { class: 'quiet' }, 'Choosing photographs…'));
  const accuracy = element('div', { id: 'accuracy' });
  const skip = element('button', { type: 'button', id: 'skip', onclick: () => pass() }, 'Skip ', element('kbd', {}, 'S'));
  const side = element('div', {}, element('h2', {}, 'What is it?'), fresh, bars, element('div', { class: 'row' }, skip), accuracy);
  const one = element('div', { class: 'one' }, element('figure', {}, photo, path), side);
  const filter = element('select', { 'aria-label': 'Which photographs' });
  const every = element('button', { type: 'button', onclick: () => tiles.all() }, 'Select all ', element('kbd', {}, 'A'));
  const rename = element('button', { type: 'button', onclick: () => ask() }, 'Rename class');
  const gridRoot = element('div', { hidden: true }, element('div', { class: 'row' }, filter, every, rename,
    element('span', { class: 'quiet keys' }, 'A click selects, Shift extends, Ctrl toggles. Delete removes labels.')));
  const modes = ['One photograph', 'Grid'].map((name, place) =>
    element('button', { type: 'button', class: 'mode', 'aria-pressed': String(place === 0), onclick: () => mode(place === 1) }, name));
  root.append(element('div', { class: 'row' }, ...modes, element('span', { class: 'quiet keys' }, element('kbd', {}, 'G'), ' switches')), one, gridRoot);
  const tiles = grid(gridRoot, image => shared.labels[image] < 0 ? '' : shared.classes[shared.labels[image]], retarget);
  const skipped = new Set();
  let queue = [];
  let inGrid = false;
  let timer = 0;
  let given = 0;
  let loading = false;
  let again = false;
  const pending = new Set();

  function mode(toGrid) {
    inGrid = toGrid;
    one.hidden = toGrid;
    gridRoot.hidden = !toGrid;
    modes[0].setAttribute('aria-pressed', String(!toGrid));
    modes[1].setAttribute('aria-pressed', String(toGrid));
    if (toGrid) list();
    else load();
    retarget();
  }

  function list() {
    const wanted = filter.value || 'all';
    filter.replaceChildren(element('option', { value: 'all' }, 'All photographs'), element('option', { value: '-1' }, 'Without a label'),
      ...shared.state.classes.flatMap((one, place) => one.count > 0 ? [element('option', { value: place }, `${one.name} (${one.count})`)] : []));
    filter.value = wanted;
    if (filter.value === '') filter.value = 'all';
    rename.hidden = !(Number(filter.value) >= 0);
    const now = filter.value;
    tiles.show(shared.paths.map((unused, image) => image).filter(image => now === 'all' || String(shared.labels[image]) === now));
  }

  /** Gives all photographs of a class another name; an existing name joins two classes. */
  function ask() {
    const old = Number(filter.value);
    const field = element('input', { maxlength: '100', 'aria-label': 'New name' });
    field.value = shared.classes[old];
    const box = $('helpbox');
    box.replaceChildren(element('form', { method: 'dialog', onsubmit: () => {
      const name = field.value.trim();
      if (name && name !== shared.classes[old]) {
        filter.value = 'all';
        give(shared.labels.flatMap((at, image) => at === old ? [image] : []), name);
      }
    } }, element('h2', {}, `Rename ${shared.classes[old]}`), element('p', { class: 'quiet' }, 'The name of another class joins both.'),
    element('div', { class: 'row' }, field, element('button', { class: 'main' }, 'Rename'), element('button', { type: 'button', onclick: () => box.close() }, 'Cancel'))));
    box.showModal();
    field.select();
  }

  /** One request at a time. A label that comes meanwhile leads to one more, and the answer serves until then. */
  async function load() {
    again = true;
    if (loading) return;
    loading = true;
    while (again) {
      again = false;
      await refill();
    }
    loading = false;
  }

  const refill = guarded(async () => {
    const ready = shared.state.phase === 'ready';
    const found = ready ? await get(`api/next?count=${Math.min(500, AHEAD + skipped.size)}`)
      : shared.labels.flatMap((at, image) => at < 0 && !skipped.has(image) ? [{ image, top: [] }] : []).slice(0, AHEAD);
    const first = queue[0];
    queue = found.filter(next => !skipped.has(next.image) && shared.labels[next.image] < 0 && !pending.has(next.image));
    // The photograph in sight does not change under the hands of the person.
    const place = queue.findIndex(next => next.image === first?.image);
    if (place > 0) queue.unshift(...queue.splice(place, 1));
    else if (place < 0 && first && shared.labels[first.image] < 0 && !pending.has(first.image)) queue.unshift(first);
    if (queue.length === 0 && skipped.size > 0) {
      skipped.clear();
      toast('The skipped photographs come again.');
      again = true;
    }
    draw();
    if (ready) await measure();
  });

  function draw() {
    const next = queue[0];
    photo.hidden = !next;
    skip.hidden = !next;
    fresh.hidden = !next?.fresh;
    retarget();
    if (!next) {
      path.textContent = '';
      delete photo.dataset.image;
      bars.replaceChildren(shared.state.labelled < shared.paths.length - shared.state.unreadable ? element('li', { class: 'quiet' }, 'Choosing photographs…') : element('li', {}, 'All photographs have a label. ', element('button', { type: 'button', class: 'main', onclick: () => open('Check') }, 'Go to Check')));
      return;
    }
    if (photo.dataset.image !== String(next.image)) {
      photo.src = `photograph/${next.image}`;
      photo.alt = shared.paths[next.image];
      photo.dataset.image = next.image;
    }
    path.textContent = shared.paths[next.image];
    bars.replaceChildren(...next.top.map(({ label: name, probability }, place) => element('li', {},
      element('button', { type: 'button', 'data-label': name, onclick: () => choose(name) },
        element('span', { class: 'fill', 'data-part': probability }), element('span', {}, name), element('span', { class: 'quiet' }, percent(probability)),
        element('span', {}, place === 0 ? element('kbd', {}, 'Enter') : '', ' ', digit(name) ? element('kbd', {}, digit(name)) : '')))));
    if (next.top.length === 0) bars.replaceChildren(element('li', { class: 'quiet' }, classesInUse().length < 2 ? 'Suggestions start with two classes.' : 'Press the digit of a class, or N for a new one.'));
    paint(bars);
    for (const later of queue.slice(1, 3)) new Image().src = `photograph/${later.image}`;
  }

  function pass() {
    if (queue.length === 0) return;
    skipped.add(queue.shift().image);
    if (queue.length > 0) draw();
    else load();
  }

  async function choose(name) {
    if (inGrid) {
      await give(tiles.selection(), name);
    } else if (queue.length > 0) {
      const next = queue.shift();
      draw();
      pending.add(next.image);
      await give([next.image], name);
      pending.delete(next.image);
      if (++given % LABELS_PER_LOOK === 0 && shared.state.phase === 'ready') guarded(() => get('api/new-class'))();
    }
  }

  const measure = guarded(async () => {
    const now = await get('api/accuracy');
    if (now.value === undefined) {
      accuracy.replaceChildren(element('p', { class: 'quiet' }, 'The estimated accuracy appears after ten labels of two classes.'));
      return;
    }
    suspected(now.suspects);
    accuracy.replaceChildren(element('h2', {}, `Estimated accuracy ${percent(now.value)}`),
      element('p', { class: 'quiet' }, `Between ${percent(now.lower)} and ${percent(now.upper)}. Each of ${photographs(now.images)} was predicted from the labels of the others. Suggested photographs are harder than average, so the curve may fall at first.`), curve(now.curve));
  });

  filter.addEventListener('change', list);
  load();
  if (shared.state.phase === 'ready') guarded(() => get('api/new-class'))();
  return {
    ready: load,
    target: () => inGrid ? (tiles.selection().length > 0 ? `the selection (${tiles.selection().length})` : '') : queue.length > 0 ? 'this photograph' : null,
    choose,
    changed(images) {
      if (inGrid) {
        list();
        return;
      }
      // After an undo, the photograph comes back at once.
      const back = images.filter(image => shared.labels[image] < 0).slice(0, AHEAD).map(image => ({ image, top: [] }));
      queue = [...back, ...queue.filter(next => shared.labels[next.image] < 0 && !back.some(one => one.image === next.image))];
      draw();
      // Not put off by the next label: who labels fast would get no new suggestions.
      if (timer === 0) {
        timer = setTimeout(() => {
          timer = 0;
          if (back.length > 0) measure();
          else load();
        }, 60);
      }
    },
    key(event, key) {
      if (key === 'g') mode(!inGrid);
      else if (inGrid && key === 'a') tiles.all();
      else if (inGrid && (event.key === 'Delete' || event.key === 'Backspace')) choose('');
      else if (!inGrid && key === 'enter' && queue[0]?.top[0] && event.target.tagName !== 'BUTTON') choose(queue[0].top[0].label);
      else if (!inGrid && key === 's') pass();
      else return false;
      return true;
    },
    close() {
      clearTimeout(timer);
      tiles.close();
    },
  };
}
