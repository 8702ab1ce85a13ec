// Clusters of similar photographs as contact sheets.
import { element, get, open, photographs, shared, thumbnail } from './page.js';
import { SHOWN, sheets } from './sheets.js';

/** Fewer photographs are no sheet; they come in Label. */
const LEAST = 3;
const LIKELY = 0.5;

export function start(root) {
  const count = element('select', { 'aria-label': 'Number of clusters' },
    ...[4, 8, 12, 20, 40].map(k => element('option', { value: k }, `${k} clusters`)));
  count.value = '12';
  count.addEventListener('change', () => view.again());

  const title = cluster => {
    const all = photographs(cluster.images.length);
    return cluster.fresh ? `A new class? ${all} fit none of yours` : cluster.images.length > SHOWN ? `${SHOWN} of ${all}` : all;
  };

  async function load() {
    const [found, fresh] = await Promise.all([get(`api/clusters?k=${count.value}`), get('api/new-class')]);
    const large = found.filter(cluster => cluster.images.length >= LEAST);
    const alone = found.filter(cluster => cluster.images.length < LEAST).reduce((sum, cluster) => sum + cluster.images.length, 0);
    // Another page may have labelled some meanwhile.
    const unlabelled = image => shared.labels[image] < 0;
    const unlike = fresh.length >= LEAST ? fresh.filter(unlabelled) : [];
    const clusters = large.map(({ images, top }) => ({ images: images.filter(image => unlabelled(image) && !unlike.includes(image)), likely: top[0]?.probability >= LIKELY ? top[0] : undefined }));
    return {
      clusters: unlike.length > 0 ? [{ images: unlike, fresh: true }, ...clusters] : clusters,
      note: alone === 0 ? '' : alone === 1 ? '1 photograph resembles few others. It comes in Label.' : `${photographs(alone)} resemble few others. They come in Label.`,
    };
  }

  /** Until photographs are compared, the first ones. */
  const early = () => shared.state.phase === 'ready' ? null
    : element('div', { class: 'strip' }, ...shared.paths.slice(0, SHOWN).map((unused, image) => element('div', { class: 'still' }, thumbnail(image))));

  const done = () => element('div', { class: 'card' }, element('h2', {}, 'No sheets are left'),
    element('div', { class: 'row' }, element('button', { type: 'button', class: 'main', onclick: () => open('Label') }, 'Go to Label'),
      element('button', { type: 'button', onclick: () => open('Train') }, 'Go to Train')));

  const view = sheets(root, { head: [element('label', { class: 'row' }, 'Divide into ', count)], least: LEAST, wait: 'Grouping similar photographs…', title, load, early, done });
  return view;
}
