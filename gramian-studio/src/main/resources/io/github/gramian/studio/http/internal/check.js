// Labels that are probably wrong, next to the labelled photographs that are most like them.
import { digit, element, get, give, guarded, open, paint, percent, retarget, shared, suspected, thumbnail } from './page.js';

const LEAST = 10;

export function check(root) {
  const body = element('div');
  root.append(body);
  const skipped = new Set();
  let suspects = [];
  let asked = 0;

  const load = guarded(async () => {
    if (shared.state.phase !== 'ready') {
      body.replaceChildren(element('p', {}, 'Labels can be checked when all photographs are analysed.'));
      return;
    }
    const number = ++asked;
    const found = await get('api/suspects');
    if (number !== asked) return;
    suspects = found.filter(one => !skipped.has(one.image));
    suspected(found.length);
    draw();
  });

  function empty() {
    const few = shared.state.labelled < LEAST;
    const left = skipped.size > 0 ? 'No others are suspicious. Open this view again for those that you skipped.' : 'No label is suspicious.';
    return element('div', { class: 'card' }, element('h2', {}, few ? 'Too few labels to check' : left),
      element('p', { class: 'quiet' }, few ? 'Ten labels of two classes are enough to begin.' : `All ${shared.state.labelled} labels agree with the photographs that are like them, or you have confirmed them.`),
      element('button', { type: 'button', class: 'main', onclick: () => open(few ? 'Label' : 'Train') }, few ? 'Go to Label' : 'Go to Train'));
  }

  const named = name => element('b', {}, element('span', { class: 'dot', 'data-colour': shared.classes.indexOf(name) }), name);

  function draw() {
    const now = suspects[0];
    retarget();
    if (!now) {
      body.replaceChildren(empty());
      return;
    }
    const given = named(now.given);
    given.id = 'given';
    const suggested = named(now.suggested);
    suggested.id = 'suggested';
    body.replaceChildren(element('div', { class: 'one' },
      element('figure', {}, element('img', { src: `photograph/${now.image}`, alt: shared.paths[now.image], 'data-image': now.image }),
        element('figcaption', { class: 'quiet' }, shared.paths[now.image])),
      element('div', {},
        element('h2', {}, `${suspects.length} suspicious ${suspects.length === 1 ? 'label' : 'labels'}, the worst first`),
        element('p', {}, 'The label is ', given, '. The other photographs suggest ', suggested, ` (${percent(now.score)}).`),
        element('div', { class: 'row' },
          element('button', { type: 'button', class: 'main', onclick: correct }, `Change to ${now.suggested} `, element('kbd', {}, 'Enter')),
          element('button', { type: 'button', onclick: confirm }, `Keep ${now.given} `, element('kbd', {}, 'K')),
          element('button', { type: 'button', onclick: skip }, 'Skip ', element('kbd', {}, 'S'))),
        element('h2', {}, 'Labelled photographs most like it'),
        element('div', { class: 'near' }, ...now.neighbours.map(image => {
          const name = shared.classes[shared.labels[image]] ?? '';
          return element('figure', {}, thumbnail(image), element('figcaption', {}, element('span', { class: 'dot', 'data-colour': shared.labels[image] }), name));
        })),
        element('p', { class: 'quiet keys' }, `If both are wrong, press the digit of another class${digit(now.given) ? '' : ' or N'}.`))));
    paint(body);
    if (suspects[1]) new Image().src = `photograph/${suspects[1].image}`;
  }

  const choose = async name => { if (suspects[0]) await give([suspects[0].image], name); };
  const correct = () => choose(suspects[0]?.suggested);
  const confirm = () => choose(suspects[0]?.given);
  const skip = () => {
    if (suspects[0]) skipped.add(suspects.shift().image);
    draw();
  };

  load();
  return {
    ready: load,
    target: () => suspects[0] ? 'this photograph' : null,
    choose,
    changed(images) {
      suspects = suspects.filter(one => !images.includes(one.image));
      draw();
      load();
    },
    key(event, key) {
      if (key === 'enter' && event.target.tagName !== 'BUTTON') correct();
      else if (key === 'k') confirm();
      else if (key === 's') skip();
      else return false;
      return true;
    },
  };
}
