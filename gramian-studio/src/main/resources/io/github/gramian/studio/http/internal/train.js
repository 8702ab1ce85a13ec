// The full training on the labels of now, its report, and predictions for all other photographs.
import { classesInUse, element, guarded, open, paint, percent, photographs, post, problems, shared } from './page.js';

const FEW = 5;
const UNEVEN = 5;
const WORDS = { training: 'Training', searching: 'Searching', predicting: 'Predicting' };

export function train(root) {
  const busyWith = work => guarded(async () => polled(await work()));
  const minutes = element('select', { 'aria-label': 'Kind of training', id: 'minutes' }, element('option', { value: '0' }, 'Train with the standard settings'),
    ...[5, 15, 60].map(n => element('option', { value: n }, `Search ${n} minutes for better settings, then train`)));
  const train = element('button', { type: 'button', id: 'train', class: 'main', onclick: busyWith(() => post('api/train', { minutes: Number(minutes.value) })) }, 'Train a model');
  const stop = element('button', { type: 'button', id: 'stop', onclick: busyWith(() => post('api/stop')) }, 'Stop');
  const bar = element('progress', { max: '1', value: '0', 'aria-label': 'Progress' });
  const line = element('p', { id: 'line', role: 'status' });
  const counts = element('div');
  const hint = element('div');
  const result = element('section', { class: 'card', hidden: true });
  const folders = element('input', { type: 'checkbox', id: 'folders' });
  const predict = element('button', { type: 'button', id: 'predict', onclick: busyWith(() => post('api/predict', { folders: folders.checked })) }, 'Predict the rest');
  const rest = element('p', { class: 'quiet' });
  const predicted = element('div');
  root.append(element('div', { class: 'two' },
    element('section', { class: 'card' }, element('h2', {}, '1. Train on your labels'), counts, hint,
      element('p', { class: 'quiet' }, 'A random 80 % of each class train the model. The others test it, so that the report shows how well it does on photographs it has never seen.'),
      element('div', { class: 'row' }, minutes, train, stop), bar, line),
    element('div', { class: 'two' }, result,
      element('section', { class: 'card' }, element('h2', {}, '2. Predict the rest'), rest,
        element('p', {}, folders, element('label', { for: 'folders' }, ' Also copy them into one directory per class')), predict, predicted))));
  let shown = '';

  /** Number of photographs of each class as bars. */
  function table(rows) {
    const most = Math.max(1, ...rows.map(([, n]) => n));
    const made = element('table', {}, ...rows.map(([name, n]) => element('tr', {}, element('td', {}, name), element('td', { class: 'n' }, String(n)),
      element('td', { class: 'bar' }, element('div', { class: 'fill', 'data-part': n / most })))));
    paint(made);
    return made;
  }

  function hints(used) {
    const rare = used.filter(one => one.count < FEW);
    const sizes = used.map(one => one.count);
    if (used.length < 2) return ['A training needs photographs of at least two classes. ', element('button', { type: 'button', onclick: () => open(used.length === 0 ? 'Start' : 'Label') }, used.length === 0 ? 'Go to Start' : 'Go to Label')];
    if (rare.length > 0) return [`${rare.map(one => one.name).join(', ')}: fewer than ${FEW} photographs. The test says little about such a class.`];
    if (Math.max(...sizes) > UNEVEN * Math.min(...sizes)) return ['The classes are of very different sizes, so the rare ones may be predicted too seldom. Label more of them.'];
    return [];
  }

  function finished(now) {
    return [element('h2', {}, 'Your model'),
      element('p', { class: 'big' }, `${(100 * now.accuracy).toFixed(1)}\u00a0% correct`),
      element('p', { class: 'quiet' }, `on ${photographs(now.images)} that it had not seen; with other ones probably between ${percent(now.lower)} and ${percent(now.upper)}.${now.images < 30 ? ' More labels give a surer figure.' : ''}`),
      element('div', { class: 'row' }, element('a', { href: 'report.html', target: '_blank' }, 'Open the report'), ...(now.leaderboard ? [element('a', { href: 'leaderboard.html', target: '_blank' }, 'Compared settings')] : [])),
      element('p', { class: 'quiet' }, 'To predict new photographs:'), element('pre', {}, element('code', {}, `gramian predict ${quoted(now.run)} new-photos/`))];
  }

  const quoted = path => /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

  function outcome(now) {
    const sum = Object.values(now.counts).reduce((a, b) => a + b, 0);
    const doubts = [now.unlike > 0 ? `${now.unlike} unlike your labelled photographs` : '', now.unsure > 0 ? `${now.unsure} with a probability under 60 %` : ''].filter(text => text);
    const unread = element('details');
    problems(unread, now.unreadable, now.problems);
    return [element('p', {}, `${photographs(sum)} predicted${now.predicted === now.run ? '' : ' by an earlier model'}${doubts.length > 0 ? `, ${doubts.join(', ')}` : ''}.`), unread,
      element('div', { class: 'row' }, element('button', { type: 'button', id: 'review', class: 'main', onclick: () => open('Review') }, 'Review the predictions'), element('a', { href: 'predictions.csv' }, 'Predictions as CSV')),
      table(Object.entries(now.counts)), element('p', { class: 'quiet' }, `Files are in ${now.predicted}`)];
  }

  function polled(state) {
    const now = state.training;
    const busy = now.phase in WORDS;
    const used = classesInUse();
    train.disabled = busy || used.length < 2;
    minutes.disabled = busy;
    stop.hidden = !busy;
    predict.disabled = busy || !now.report || state.labelled === state.photographs;
    bar.hidden = !busy;
    bar.value = now.progress;
    const time = `${Math.floor(now.seconds / 60)}:${String(now.seconds % 60).padStart(2, '0')}`;
    line.textContent = busy ? `${WORDS[now.phase]}, ${time}: ${now.line}` : { none: '', done: 'Done.', failed: `Failed: ${now.line}`, stopped: 'Stopped.' }[now.phase];
    line.classList.toggle('warn', now.phase === 'failed');
    rest.textContent = !now.report ? 'When a model is trained, it can predict all photographs without a label.'
      : state.labelled === state.photographs ? 'All photographs have a label.' : `${photographs(state.photographs - state.labelled)} have no label. The predictions go to a CSV file.`;
    const content = JSON.stringify([used, now.report, now.run, now.accuracy, now.predictions, now.counts, now.unsure, now.predicted]);
    if (content === shown) return;
    shown = content;
    counts.replaceChildren(used.length > 0 ? table(used.map(one => [one.name, one.count])) : '');
    hint.replaceChildren(...hints(used).map(one => typeof one === 'string' ? element('span', { class: 'warn' }, one) : one));
    result.hidden = !now.report;
    result.replaceChildren(...(now.report ? finished(now) : []));
    predicted.replaceChildren(...(now.predictions ? outcome(now) : []));
  }

  polled(shared.state);
  return { polled, changed: () => polled(shared.state) };
}
