// Contact sheets: name one, or accept its suggestion, and all its photographs that are in sight and not crossed out have a label.
import { classesInUse, element, give, guarded, percent, photographs, retarget, shared, thumbnail, toast } from './page.js';

/** A name goes to photographs that the person has seen, so a sheet shows all that it labels. */
export const SHOWN = 24;

/**
 * @param source of the sheets: head, elements above them; least, the number of photographs of a sheet; wait, a sentence; title
 *   of a sheet; load, which answers with clusters of images, perhaps with a likely label, and a note; early, what to show
 *   instead of sheets, or null; done, what to show if none are left
 */
export function sheets(root, source) {
  const message = element('div');
  const cards = element('div', { class: 'cards' });
  const names = element('datalist', { id: 'names' });
  const head = element('div', { class: 'row', hidden: true }, ...source.head,
    element('span', { class: 'quiet keys' }, 'Arrow keys choose a sheet. ', element('kbd', {}, 'N'), ' names it, and so do digits of classes.'));
  root.append(head, names, message, cards);
  /** Crosses belong to photographs, so that they stay if sheets are drawn again. */
  const out = new Set();
  /** The sheet and the crosses with which a photograph got its label: an undo brings both back. */
  const named = new Map();
  let clusters = [];
  let here = 0;
  let loading = false;

  const load = guarded(async () => {
    const early = source.early();
    head.hidden = early !== null;
    if (early) message.replaceChildren(early);
    if (early || loading) return;
    loading = true;
    if (clusters.length === 0) message.replaceChildren(element('p', { class: 'quiet' }, source.wait));
    try {
      const found = await source.load();
      clusters = found.clusters.filter(cluster => cluster.images.length > 0);
      here = 0;
      message.replaceChildren(...(clusters.length === 0 ? [source.done()] : []), found.note ? element('p', { class: 'quiet' }, found.note) : '');
      draw();
    } finally {
      loading = false;
    }
  });

  const kept = cluster => cluster.images.slice(0, SHOWN).filter(image => !out.has(image));

  /** A person may already type into the next sheet. */
  function draw() {
    const typing = [...cards.children].find(card => card.querySelector('input') === document.activeElement)?.cluster;
    names.replaceChildren(...classesInUse().map(one => element('option', { value: one.name })));
    cards.replaceChildren(...clusters.map(sheet));
    const field = cards.children[clusters.indexOf(typing)]?.querySelector('input');
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
    mark();
  }

  function sheet(cluster, place) {
    const choose = () => { here = clusters.indexOf(cluster); mark(); };
    const field = element('input', { placeholder: 'What do they show?', maxlength: '100', list: 'names', autocomplete: 'off', 'aria-label': `Name of sheet ${place + 1}`, onfocus: choose, oninput: () => { cluster.typed = field.value; } });
    field.value = cluster.typed ?? '';
    const button = element('button', { type: 'submit' });
    const count = () => {
      button.textContent = `Label ${kept(cluster).length}`;
      retarget();
    };
    const tile = image => {
      const made = element('button', { type: 'button', title: `${shared.paths[image]}: click to leave it out`, onclick: event => {
        // The next Enter accepts the suggestion, and is no second click.
        if (event.detail > 0) made.blur();
        if (!out.delete(image)) out.add(image);
        cross();
        count();
      } }, thumbnail(image));
      const cross = () => {
        made.classList.toggle('out', out.has(image));
        made.setAttribute('aria-pressed', String(out.has(image)));
      };
      cross();
      return made;
    };
    const card = element('section', { class: 'card', 'data-sheet': place, onpointerdown: choose }, element('h2', {}, source.title(cluster)),
      element('div', { class: 'strip' }, ...cluster.images.slice(0, SHOWN).map(tile)),
      element('form', { class: 'row', onsubmit: event => {
        event.preventDefault();
        cluster.typed = '';
        field.blur();
        name(cluster, field.value.trim());
      } }, field, button, cluster.likely ? element('button', { type: 'button', class: 'likely', onclick: () => name(cluster, cluster.likely.label) },
        `${cluster.likely.label}? ${percent(cluster.likely.probability)} `, element('kbd', {}, 'Enter')) : ''));
    card.cluster = cluster;
    count();
    return card;
  }

  async function name(cluster, label) {
    if (!cluster || !label || cluster.busy) return;
    if (kept(cluster).length === 0) {
      toast('All photographs of this sheet are crossed out. Click those that belong to it.');
      return;
    }
    cluster.busy = true;
    cards.children[clusters.indexOf(cluster)]?.classList.add('busy');
    const crossed = cluster.images.filter(image => out.has(image));
    kept(cluster).forEach(image => named.set(image, { cluster: { ...cluster, busy: false, typed: '' }, crossed }));
    await give(kept(cluster), label);
    cluster.busy = false;
    cards.children[clusters.indexOf(cluster)]?.classList.remove('busy');
  }

  function mark() {
    [...cards.children].forEach((card, place) => {
      card.classList.toggle('here', place === here);
      (card.querySelector('.likely') ?? card.querySelector('form > button')).classList.toggle('main', place === here);
    });
    retarget();
  }

  /** What was left out, or not in sight, stays as a sheet. */
  function shrink(cluster) {
    const open = cluster.images.filter(image => shared.labels[image] < 0);
    const strays = cluster.busy ? open.filter(image => out.delete(image)) : [];
    cluster.images = open.filter(image => !strays.includes(image));
    return { images: strays };
  }

  /** Photographs whose label was taken back, as the sheet that they were on. Other sheets stay, for a hand that is on its way. */
  function restored(back) {
    const { cluster, crossed = [] } = named.get(back[0]) ?? {};
    crossed.forEach(image => out.add(image));
    const images = [...new Set([...(cluster?.images ?? []), ...back])].filter(image => shared.labels[image] < 0);
    const taken = new Set(images);
    clusters.forEach(other => { other.images = other.images.filter(image => !taken.has(image)); });
    return { ...cluster, images };
  }

  load();
  return {
    ready() { message.replaceChildren(); load(); },
    again() { out.clear(); load(); },
    ownField: true,
    target: () => clusters[here] ? `the ${photographs(kept(clusters[here]).length)} of sheet ${here + 1}` : null,
    choose: label => name(clusters[here], label),
    changed(images) {
      const now = clusters[here];
      const back = images.filter(image => shared.labels[image] < 0);
      const again = back.length > 0 ? [restored(back)] : [];
      const others = [...clusters, ...clusters.map(shrink)].filter(cluster => cluster.images.length >= source.least);
      clusters = [...again, ...others];
      if (again.length > 0) {
        here = 0;
        message.replaceChildren();
      } else {
        here = clusters.includes(now) ? clusters.indexOf(now) : Math.max(0, Math.min(here, clusters.length - 1));
      }
      draw();
      if (clusters.length === 0) load();
    },
    key(event, key) {
      if (key === 'enter' && event.target.tagName !== 'BUTTON') {
        const likely = clusters[here]?.likely;
        if (likely) name(clusters[here], likely.label);
        else cards.children[here]?.querySelector('input')?.focus();
        return true;
      }
      if (key === 'n') {
        cards.children[here]?.querySelector('input')?.focus();
        return true;
      }
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return false;
      here = Math.max(0, Math.min(clusters.length - 1, here + step));
      mark();
      cards.children[here]?.scrollIntoView({ block: 'nearest' });
      return true;
    },
  };
}
