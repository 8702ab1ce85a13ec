// The next step in a sentence, and a page of all keys.
import { $, element } from './page.js';

const FEW = 5;

/** What a person does best now, in the view that is open. */
export function advice(state, view, used) {
  const labelled = state.labelled;
  const rare = used.filter(one => one.count < FEW);
  if (state.phase === 'features' && view !== 'Review') {
    return view === 'Label' ? 'You can label already. Suggestions start when all photographs are analysed.'
      : 'Similar photographs are grouped when all of them are analysed. Meanwhile, you can label single ones in Label.';
  }
  switch (view) {
    case 'Start':
      return labelled === 0 ? 'Each sheet shows similar photographs. Click those that do not belong, name what the others show, and press Enter.'
        : used.length < 2 ? 'Name a sheet of another class. A model needs at least two.'
          : 'Name more sheets, or go to Label, where Gramian asks for the photographs that teach most.';
    case 'Label':
      return used.length < 2 ? `Type what the photograph shows into the field below, and press Enter. ${used.length === 1 ? 'A model needs at least two classes.' : ''}`
        : rare.length > 0 ? `Few photographs so far: ${rare.slice(0, 4).map(one => `${one.name} (${one.count})`).join(', ')}. Five or more per class are a good start.`
          : 'These are the photographs that teach most. When the curve of the accuracy is flat, go to Check, then to Train.';
    case 'Check':
      return 'Here are labels that the other photographs contradict. Nothing changes unless you change it.';
    case 'Map':
      return 'Photographs that look alike are near each other. Draw around points to select them, then give the selection a label.';
    case 'Review':
      return 'Here are the predictions, the doubtful ones first. Click those that are wrong, and accept the others.';
    default:
      return '';
  }
}

const KEYS = [
  ['1 to 9', 'Give the class with that number'],
  ['N', 'Type a new class'],
  ['U', 'Undo the latest change; press it again for the one before'],
  ['Enter', 'Start, Label and Review: accept the suggestion. Check: change the label'],
  ['S', 'Label and Check: skip this photograph'],
  ['G', 'Label: switch between one photograph and the grid'],
  ['A', 'Grid: select all photographs in it'],
  ['K', 'Check: keep the label'],
  ['Arrow keys', 'Start and Review: choose a sheet'],
  ['Delete', 'Grid and Map: remove the labels of the selection'],
  ['Escape', 'Leave a field; Map: clear the selection'],
];

export function help() {
  const box = $('helpbox');
  box.replaceChildren(
    element('h2', {}, 'From photographs to a model'),
    element('p', {}, 'Start: name sheets of similar photographs. Label: answer for the photographs that teach most. Check: correct wrong labels. Map: see and label many at once. Train: make the model, read its report, and predict all other photographs. Review: accept or correct the predictions.'),
    element('p', { class: 'quiet' }, 'Every label is on the disk before the page shows it. Photographs are never moved or changed.'),
    element('h2', {}, 'Keys'),
    element('dl', {}, ...KEYS.flatMap(([key, what]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, what)])),
    element('form', { method: 'dialog' }, element('button', { class: 'main' }, 'Close')));
  box.showModal();
}
