// Predictions of the trained model as contact sheets, the doubtful ones first: to accept, or to correct.
import { element, get, open, photographs, shared } from './page.js';
import { SHOWN, sheets } from './sheets.js';

const KINDS = ['Unlike your labelled photographs', 'Doubtful', 'Sure'];

export function review(root) {
  const kind = row => row.unlike ? 0 : row.unsure ? 1 : 2;

  function title(cluster) {
    const all = photographs(cluster.images.length);
    const shown = cluster.images.length > SHOWN ? `${SHOWN} of ${all}` : all;
    return cluster.kind === undefined ? `Crossed out: ${shown}` : `${KINDS[cluster.kind]}: ${shown}`;
  }

  /** One sheet per kind and class, the least probable photographs first. */
  async function load() {
    const groups = new Map();
    for (const row of (await get('api/predictions')).filter(one => shared.labels[one.image] < 0)) {
      const key = JSON.stringify([kind(row), row.label]);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(row);
    }
    const clusters = [...groups.values()].map(rows => {
      rows.sort((a, b) => a.probability - b.probability);
      return { kind: kind(rows[0]), images: rows.map(row => row.image), likely: { label: rows[0].label, probability: rows.reduce((sum, row) => sum + row.probability, 0) / rows.length } };
    });
    return { clusters: clusters.sort((a, b) => a.kind - b.kind || b.images.length - a.images.length) };
  }

  const card = (words, button, target) => element('div', { class: 'card' }, element('h2', {}, words), element('button', { type: 'button', class: 'main', onclick: () => open(target) }, button));
  const predicted = () => shared.state.training?.predictions;
  const early = () => predicted() ? null : card('There are no predictions yet', 'Go to Train', 'Train');
  const done = () => card('No predictions are left to review', 'Go to Check', 'Check');
  let before = predicted();

  const view = sheets(root, { head: [], least: 1, wait: 'Reading the predictions…', title, load, early, done });
  return {
    ...view,
    ready() {},
    polled() {
      if (!before && predicted()) view.ready();
      before = predicted();
    },
  };
}
