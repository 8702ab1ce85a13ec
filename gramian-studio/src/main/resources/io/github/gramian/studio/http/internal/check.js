// Labels that are probably wrong, next to the labelled photographs that are most like them.
import { element, get, give, guarded, shared, thumbnail } from './page.js';

export function check(root) {
  const body = element('div');
  root.append(body);
  let suspects = [];

  const load = guarded(async () => {
    if (shared.state.phase !== 'ready') {
      body.replaceChildren(element('p', { class: 'quiet' }, 'Suspicious labels appear when all features are computed.'));
      return;
    }
    suspects = await get('api/suspects');
    draw();
  });

  function draw() {
    const now = suspects[0];
    if (!now) {
      body.replaceChildren(element('p', {}, 'No label is suspicious.'));
      return;
    }
    body.replaceChildren(
      element('h2', {}, `${suspects.length} suspicious ${suspects.length === 1 ? 'label' : 'labels'}`),
      element('div', { class: 'one' },
        element('figure', {}, element('img', { src: `photograph/${now.image}`, alt: shared.paths[now.image], 'data-image': now.image }),
          element('figcaption', { class: 'quiet' }, shared.paths[now.image])),
        element('div', {},
          element('p', {}, 'Labelled ', element('b', { id: 'given' }, now.given), ', but the other photographs suggest ', element('b', { id: 'suggested' }, now.suggested),
            ` (${(100 * now.score).toFixed(0)} %).`),
          element('div', { class: 'row' },
            element('button', { type: 'button', class: 'main', onclick: correct }, `Change to ${now.suggested} `, element('kbd', {}, 'Enter')),
            element('button', { type: 'button', onclick: confirm }, `Keep ${now.given} `, element('kbd', {}, 'K'))),
          element('p', { class: 'quiet' }, 'Digits give another label. Nearest labelled photographs:'),
          element('div', { class: 'pair' }, ...now.neighbours.map(image => element('figure', { class: 'card' }, thumbnail(image),
            element('figcaption', {}, shared.classes[shared.labels[image]] ?? '')))))));
  }

  const choose = async name => { if (suspects[0]) await give([suspects[0].image], name); };
  const correct = () => choose(suspects[0]?.suggested);
  const confirm = () => choose(suspects[0]?.given);

  load();
  return {
    ready: load,
    choose,
    changed: load,
    key(event) {
      if (event.key === 'Enter' && event.target.tagName !== 'BUTTON') correct();
      else if (event.key === 'k') confirm();
      else return false;
      return true;
    },
  };
}
