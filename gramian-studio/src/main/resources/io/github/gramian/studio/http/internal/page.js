// The state that all views share, the calls to the studio, and the keys.
import { start } from './start.js';
import { label } from './label.js';
import { check } from './check.js';
import { map } from './map.js';
import { train } from './train.js';

const VIEWS = { Start: start, Label: label, Check: check, Map: map, Train: train };
const COLOURS = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#ee7733', '#009988', '#8855bb', '#997755'];

export const shared = { paths: [], labels: [], classes: [], state: { phase: 'features', classes: [] } };
let view = null;
let current = '';
let previousPhase = '';

export const $ = id => document.getElementById(id);
export const colour = index => (index < 0 ? '#9aa0a8' : COLOURS[index % COLOURS.length]);

/** An element with attributes, listeners and children. Strings become text, never markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

export const thumbnail = image =>
  element('img', { src: `thumbnail/${image}`, alt: shared.paths[image], loading: 'lazy', draggable: 'false' });

export async function get(path) {
  return answer(await fetch(path));
}

export async function post(path, body = {}) {
  return answer(await fetch(path, { method: 'POST', body: JSON.stringify(body) }));
}

async function answer(response) {
  const content = await response.json();
  if (!response.ok) throw new Error(content.error || `error ${response.status}`);
  return content;
}

export function toast(message) {
  $('toast').textContent = message;
  $('toast').hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { $('toast').hidden = true; }, 5000);
}

/** Runs something and shows its error. */
export const guarded = work => async (...given) => {
  try {
    return await work(...given);
  } catch (failure) {
    toast(failure.message);
    return undefined;
  }
};

/** Labels photographs; an empty name removes their labels. The page shows them when they are on the disk. */
export const give = guarded(async (images, name) => {
  if (images.length > 0) applied(await post('api/label', { images, label: name }));
});

function applied(change) {
  shared.state = change.state;
  shared.classes = change.state.classes.map(one => one.name);
  change.images.forEach((image, place) => { shared.labels[image] = change.labels[place]; });
  show();
  view?.changed?.(change.images);
}

const undo = guarded(async () => applied(await post('api/undo')));

function show() {
  const state = shared.state;
  $('undo').disabled = !state.canUndo;
  $('features').hidden = state.phase !== 'features';
  $('features').value = state.total > 0 ? state.done / state.total : 0;
  const parts = [`${state.labelled} of ${state.photographs} photographs have a label`];
  if (state.phase === 'features') parts.push(state.total > 0 ? `computing features: ${state.done} of ${state.total}` : 'reading the photographs');
  if (state.phase === 'failed') parts.push(`no suggestions: ${state.message}`);
  if (state.unreadable > 0) parts.push(`${state.unreadable} cannot be read`);
  $('status').textContent = [parts.join(' · '), ...(state.notes || [])].join(' · ');
  classes();
}

/** Buttons of all classes, with their keys, and a field for a new one. */
function classes() {
  const typed = $('classes').querySelector('input')?.value || '';
  const focused = document.activeElement?.id === 'new';
  const field = element('input', { id: 'new', placeholder: 'New label', maxlength: '100', 'aria-label': 'New label' });
  field.value = typed;
  $('classes').replaceChildren(
    ...shared.state.classes.map((one, place) => element('button', { type: 'button', 'data-class': one.name, onclick: () => view?.choose?.(one.name) },
      element('span', { class: 'dot', 'data-colour': place }), `${one.name} ${one.count} `, ...(place < 9 ? [element('kbd', {}, String(place + 1))] : []))),
    element('form', { onsubmit: event => {
      event.preventDefault();
      const name = field.value.trim();
      field.value = '';
      field.blur();
      if (name) view?.choose?.(name);
    } }, field, element('button', { type: 'submit' }, 'Add ', element('kbd', {}, 'N'))));
  paint($('classes'));
  if (focused) field.focus();
}

/** Colours are set by script, since the page's policy forbids style attributes. */
export function paint(root) {
  root.querySelectorAll('[data-colour]').forEach(dot => { dot.style.background = colour(Number(dot.dataset.colour)); });
}

function open(name) {
  view?.close?.();
  current = name;
  history.replaceState(null, '', `#${name}`);
  $('views').replaceChildren(...Object.keys(VIEWS).map(one =>
    element('button', { type: 'button', 'aria-pressed': String(one === name), onclick: () => open(one) }, one)));
  $('view').replaceChildren();
  view = VIEWS[name]($('view'));
  $('classes').hidden = name === 'Train';
}

document.addEventListener('keydown', event => {
  const typing = event.target.matches?.('input, select, textarea');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (typing) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const digit = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
  if (digit >= 0 && shared.state.classes[digit]) view?.choose?.(shared.state.classes[digit].name);
  else if (event.key === 'u' || event.key === 'z') undo();
  else if (event.key === 'n') document.querySelector('#classes input, main input')?.focus();
  else if (!view?.key?.(event)) return;
  event.preventDefault();
});

async function poll() {
  try {
    shared.state = await get('api/state');
    show();
    if (shared.state.phase !== previousPhase) {
      previousPhase = shared.state.phase;
      view?.ready?.(previousPhase);
    }
    view?.polled?.(shared.state);
  } catch {
    $('status').textContent = 'The studio does not answer. Is the command still running?';
  }
  const busy = shared.state.phase === 'features' || ['training', 'predicting'].includes(shared.state.training?.phase);
  setTimeout(poll, busy ? 400 : 3000);
}

$('undo').addEventListener('click', undo);
const all = await get('api/photographs');
Object.assign(shared, all);
shared.state = await get('api/state');
previousPhase = shared.state.phase;
open(VIEWS[location.hash.slice(1)] ? location.hash.slice(1) : 'Start');
show();
poll();
