// The full training on the labels of now, its report, and predictions for all other photographs.
import { element, guarded, post, shared } from './page.js';

export function train(root) {
  const train = element('button', { type: 'button', id: 'train', class: 'main', onclick: guarded(() => post('api/train').then(polled)) }, 'Train a model');
  const stop = element('button', { type: 'button', id: 'stop', onclick: guarded(() => post('api/stop').then(polled)) }, 'Stop');
  const bar = element('progress', { max: '1', value: '0' });
  const line = element('p', { id: 'line', role: 'status' });
  const links = element('p');
  const folders = element('input', { type: 'checkbox', id: 'folders' });
  const predict = element('button', { type: 'button', id: 'predict', onclick: guarded(() => post('api/predict', { folders: folders.checked }).then(polled)) }, 'Predict the rest');
  root.append(
    element('section', { class: 'card' }, element('h2', {}, 'Train'),
      element('p', { class: 'quiet' }, 'Trains the full model on all labels. A random 80 % of each class trains, and the other photographs test the model.'),
      element('div', { class: 'row' }, train, stop, bar), line, links),
    element('section', { class: 'card' }, element('h2', {}, 'Predict the rest'),
      element('p', { class: 'quiet' }, 'Predicts all photographs without a label and writes a CSV file.'),
      element('label', { class: 'row' }, folders, 'Also copy them into one directory per class'), predict));

  function polled(state) {
    const now = state.training;
    const busy = ['training', 'predicting'].includes(now.phase);
    train.disabled = busy || state.labelled === 0;
    stop.disabled = !busy;
    predict.disabled = busy || !now.report;
    bar.hidden = !busy;
    bar.value = now.progress;
    const words = { none: '', done: 'Done.', failed: `Failed: ${now.line}`, stopped: 'Stopped.' };
    line.textContent = words[now.phase] ?? `${now.phase}: ${now.line}`;
    links.replaceChildren(
      ...(now.accuracy !== undefined ? [`Test accuracy ${(100 * now.accuracy).toFixed(1)} %. `] : []),
      ...(now.report ? [element('a', { href: 'report.html', target: '_blank' }, 'Report'), ' '] : []),
      ...(now.predictions ? [element('a', { href: 'predictions.csv' }, 'Predictions as CSV'), ' '] : []),
      ...(now.report ? [element('span', { class: 'quiet' }, `Files are in ${state.out}`)] : []));
  }

  polled(shared.state);
  return { polled };
}
