// Clusters of similar photographs as contact sheets: name one, and all photographs in sight have a label.
import { classesInUse, element, get, give, guarded, open, percent, photographs, retarget, shared, thumbnail } from './page.js';

/** A name goes to photographs that the person has seen, so a sheet shows all that it labels. */
const SHOWN = 24;
const LEAST = 3;
const LIKELY = 0.5;

export function start(root) {
  const count = element('select', { 'aria-label': 'Number of clusters' },
    ...[4, 8, 12, 20, 40].map(k => element('option', { value: k }, `${k} clusters`)));
  count.value = '12';
  const message = element('div');
  const sheets = element('div', { class: 'cards' });
  const names = element('datalist', { id: 'names' });
  const choice = element('div', { class: 'row', hidden: true }, element('label', { class: 'row' }, 'Divide into ', count),
    element('span', { class: 'quiet keys' }, 'Arrow keys choose a sheet. ', element('kbd', {}, 'N'), ' names it, and so do digits of classes.'));
  root.append(choice, names, message, sheets);
  let clusters = [];
  let here = 0;
  let loading = false;

  const load = guarded(async () => {
    if (shared.state.phase !== 'ready') {
      const first = shared.paths.map((unused, image) => image).slice(0, SHOWN);
      message.replaceChildren(element('div', { class: 'strip' }, ...first.map(image => element('div', { class: 'still' }, thumbnail(image)))));
      return;
    }
    choice.hidden = false;
    if (loading) return;
    loading = true;
    if (clusters.length === 0) message.replaceChildren(element('p', { class: 'quiet' }, 'Grouping similar photographs…'));
    try {
      const [found, fresh] = await Promise.all([get(`api/clusters?k=${count.value}`), get('api/new-class')]);
      const alone = found.filter(cluster => cluster.images.length < LEAST).reduce((sum, cluster) => sum + cluster.images.length, 0);
      const unlike = fresh.length >= LEAST ? [{ images: fresh, top: [], out: new Set(), fresh: true }] : [];
      clusters = [...unlike, ...found.filter(cluster => cluster.images.length >= LEAST).map(cluster => ({ ...cluster, images: cluster.images.filter(image => !(unlike.length > 0 && fresh.includes(image))), out: new Set() }))]
        .filter(cluster => cluster.images.length > 0);
      here = 0;
      message.replaceChildren(...(clusters.length === 0 ? [done()] : []),
        alone > 0 ? element('p', { class: 'quiet' }, `${photographs(alone)} resemble few others. They come in Label.`) : '');
      draw();
    } finally {
      loading = false;
    }
  });

  const done = () => element('div', { class: 'card' }, element('h2', {}, 'No sheets are left'),
    element('div', { class: 'row' }, element('button', { type: 'button', class: 'main', onclick: () => open('Label') }, 'Go to Label'),
      element('button', { type: 'button', onclick: () => open('Train') }, 'Go to Train')));

  const kept = cluster => cluster.images.slice(0, SHOWN).filter(image => !cluster.out.has(image));

  function draw() {
    names.replaceChildren(...classesInUse().map(one => element('option', { value: one.name })));
    sheets.replaceChildren(...clusters.map(sheet));
    mark();
  }

  function sheet(cluster, place) {
    const likely = cluster.top[0]?.probability >= LIKELY ? cluster.top[0] : undefined;
    const field = element('input', { placeholder: 'What do they show?', maxlength: '100', list: 'names', autocomplete: 'off', 'aria-label': `Name of sheet ${place + 1}`, onfocus: () => { here = place; mark(); } });
    const button = element('button', { type: 'submit' });
    const title = element('h2');
    const count = () => {
      const rest = cluster.images.length - SHOWN;
      title.textContent = cluster.fresh ? `A new class? ${photographs(cluster.images.length)} fit none of yours` : rest > 0 ? `${SHOWN} of ${photographs(cluster.images.length)}` : photographs(cluster.images.length);
      button.textContent = `Label ${kept(cluster).length}`;
      retarget();
    };
    const card = element('section', { class: 'card', 'data-sheet': place, onpointerdown: () => { here = place; mark(); } }, title,
      element('div', { class: 'strip' }, ...cluster.images.slice(0, SHOWN).map(image => {
        const tile = element('button', { type: 'button', 'aria-pressed': 'false', title: `${shared.paths[image]}: click to leave it out`, onclick: () => {
          if (!cluster.out.delete(image)) cluster.out.add(image);
          const out = cluster.out.has(image);
          tile.classList.toggle('out', out);
          tile.setAttribute('aria-pressed', String(out));
          count();
        } }, thumbnail(image));
        return tile;
      })),
      element('form', { class: 'row', onsubmit: event => {
        event.preventDefault();
        field.blur();
        name(place, field.value.trim());
      } }, field, button,
      likely ? element('button', { type: 'button', class: 'likely', onclick: () => name(place, likely.label) }, `${likely.label}? ${percent(likely.probability)} `, element('kbd', {}, 'Enter')) : ''));
    count();
    return card;
  }

  async function name(place, label) {
    const cluster = clusters[place];
    if (!cluster || !label || cluster.busy) return;
    cluster.busy = true;
    sheets.children[place]?.classList.add('busy');
    await give(kept(cluster), label);
    cluster.busy = false;
    sheets.children[place]?.classList.remove('busy');
  }

  function mark() {
    [...sheets.children].forEach((card, place) => {
      card.classList.toggle('here', place === here);
      card.querySelector('form > button')?.classList.toggle('main', place === here);
    });
    retarget();
  }

  count.addEventListener('change', load);
  load();
  return {
    ready() { message.replaceChildren(); load(); },
    ownField: true,
    target: () => clusters[here] ? `the ${photographs(kept(clusters[here]).length)} of sheet ${here + 1}` : null,
    choose: label => name(here, label),
    changed(images) {
      // What was left out, or not in sight, stays as a sheet. Photographs whose label was taken back come again with new sheets.
      if (images.some(image => shared.labels[image] < 0)) {
        load();
        return;
      }
      const strays = [];
      for (const cluster of clusters) {
        const open = cluster.images.filter(image => shared.labels[image] < 0);
        if (open.length < cluster.images.length && cluster.out.size > 0) {
          strays.push({ images: open.filter(image => cluster.out.has(image)), top: [], out: new Set() });
          cluster.images = open.filter(image => !cluster.out.has(image));
          cluster.out = new Set();
        } else cluster.images = open;
      }
      clusters = [...clusters, ...strays].filter(cluster => cluster.images.length >= LEAST);
      here = Math.max(0, Math.min(here, clusters.length - 1));
      draw();
      if (clusters.length === 0) load();
    },
    key(event, key) {
      if (key === 'enter' && event.target.tagName !== 'BUTTON') {
        const likely = clusters[here]?.top[0];
        if (likely?.probability >= LIKELY) name(here, likely.label);
        else sheets.children[here]?.querySelector('input')?.focus();
        return true;
      }
      if (key === 'n') {
        sheets.children[here]?.querySelector('input')?.focus();
        return true;
      }
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return false;
      here = Math.max(0, Math.min(clusters.length - 1, here + step));
      mark();
      sheets.children[here]?.scrollIntoView({ block: 'nearest' });
      return true;
    },
  };
}
