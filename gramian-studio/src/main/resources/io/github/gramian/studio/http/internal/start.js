// Clusters of similar photographs as contact sheets: name one, and all its photographs have a label.
import { element, get, give, guarded, shared, thumbnail } from './page.js';

const SHOWN = 24;

export function start(root) {
  const count = element('select', { 'aria-label': 'Number of clusters' },
    ...[4, 8, 12, 20, 40].map(k => element('option', { value: k }, `${k} clusters`)));
  count.value = '12';
  const message = element('p', { class: 'quiet' });
  const sheets = element('div', { class: 'cards' });
  root.append(element('div', { class: 'row' }, count,
    element('span', { class: 'quiet' }, 'Click photographs that do not belong, then name the sheet. Arrow keys choose a sheet; digits name it.')), message, sheets);
  let clusters = [];
  let here = 0;

  const load = guarded(async () => {
    if (shared.state.phase !== 'ready') {
      message.textContent = 'Sheets appear when all features are computed. You can already label single photographs in the view Label.';
      return;
    }
    clusters = (await get(`api/clusters?k=${count.value}`)).map(images => ({ images, out: new Set() }));
    here = 0;
    message.textContent = clusters.length === 0 ? 'All photographs have a label. Go on with Check or Train.' : '';
    draw();
  });

  function draw() {
    sheets.replaceChildren(...clusters.map(sheet));
    mark();
  }

  function sheet(cluster, place) {
    const field = element('input', { placeholder: 'Name', maxlength: '100', 'aria-label': `Name of sheet ${place + 1}`, onfocus: () => { here = place; mark(); } });
    const title = element('h2');
    const count = () => {
      const n = cluster.images.length - cluster.out.size;
      title.textContent = `${n} ${n === 1 ? 'photograph' : 'photographs'}`;
    };
    count();
    return element('section', { class: 'card', 'data-sheet': place }, title,
      element('div', { class: 'strip' }, ...cluster.images.slice(0, SHOWN).map(image => {
        const tile = element('button', { type: 'button', 'aria-pressed': 'false', title: shared.paths[image], onclick: () => {
          if (!cluster.out.delete(image)) cluster.out.add(image);
          tile.classList.toggle('out', cluster.out.has(image));
          count();
        } }, thumbnail(image));
        return tile;
      })),
      cluster.images.length > SHOWN ? element('p', { class: 'quiet' }, `and ${cluster.images.length - SHOWN} more like these`) : '',
      element('form', { class: 'row', onsubmit: event => {
        event.preventDefault();
        field.blur();
        name(place, field.value.trim());
      } }, field, element('button', { type: 'submit', class: 'main' }, 'Label all')));
  }

  async function name(place, label) {
    const cluster = clusters[place];
    if (!cluster || !label) return;
    await give(cluster.images.filter(image => !cluster.out.has(image)), label);
  }

  function mark() {
    [...sheets.children].forEach((card, place) => card.classList.toggle('here', place === here));
  }

  count.addEventListener('change', load);
  load();
  return {
    ready: load,
    choose: label => name(here, label),
    changed() {
      // Photographs that were left out of a named sheet are a sheet of their own, at the end.
      const left = [];
      for (const cluster of clusters) {
        const open = cluster.images.filter(image => shared.labels[image] < 0);
        if (open.length < cluster.images.length && open.length > 0) left.push({ images: open, out: new Set() });
        if (open.length < cluster.images.length) cluster.images = [];
      }
      clusters = [...clusters.filter(cluster => cluster.images.length > 0), ...left];
      here = Math.max(0, Math.min(here, clusters.length - 1));
      if (clusters.length === 0) load();
      draw();
    },
    key(event) {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return false;
      here = Math.max(0, Math.min(clusters.length - 1, here + step));
      mark();
      sheets.children[here]?.scrollIntoView({ block: 'nearest' });
      return true;
    },
  };
}
