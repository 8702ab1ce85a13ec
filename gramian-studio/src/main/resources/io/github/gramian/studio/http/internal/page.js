// The state that all views share, the calls to the studio, and the keys.
import { start } from './start.js';
import { label } from './label.js';
import { check } from './check.js';
import { map } from './map.js';
import { train } from './train.js';
import { review } from './review.js';
import { advice, help } from './help.js';

const VIEWS = { Start: start, Label: label, Check: check, Map: map, Train: train, Review: review };
const COLOURS = ['#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#ee7733', '#009988', '#8855bb', '#997755'];

export const shared = { paths: [], labels: [], classes: [], state: { phase: 'features', classes: [] }, suspects: undefined };
let view = null;
let current = '';
let previousPhase = '';
let featuresSince = 0;
let shown = '';
let seen = 0;

export const $ = id => document.getElementById(id);
export const colour = index => (index < 0 ? '#9aa0a8' : COLOURS[index % COLOURS.length]);
export const percent = value => `${(100 * value).toFixed(0)}\u00a0%`;
export const photographs = n => `${n.toLocaleString('en')} ${n === 1 ? 'photograph' : 'photographs'}`;

/** An element with attributes, listeners and children. Strings become text, never markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== ''));
  return made;
}

export const thumbnail = image =>
  element('img', { src: `thumbnail/${image}`, alt: shared.paths[image], loading: 'lazy', draggable: 'false' });

/** Classes that have photographs, in the order of their keys. */
export const classesInUse = () => shared.state.classes.map((one, index) => ({ ...one, index })).filter(one => one.count > 0);

/** The key of a class, if it has one. */
export function digit(name) {
  const place = classesInUse().findIndex(one => one.name === name);
  return place >= 0 && place < 9 ? String(place + 1) : '';
}

export async function get(path) {
  return answer(await fetch(path));
}

export async function post(path, body = {}) {
  return answer(await fetch(path, { method: 'POST', body: JSON.stringify(body) }));
}

async function answer(response) {
  const content = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(content.error || `error ${response.status}`);
  return content;
}

export function toast(message) {
  $('toast').textContent = message;
  $('toast').hidden = false;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => { $('toast').hidden = true; }, 6000);
}

/** Runs something and shows its error. */
export const guarded = work => async (...given) => {
  try {
    return await work(...given);
  } catch (failure) {
    toast(failure instanceof TypeError ? 'The studio does not answer. Is the command still running? The latest change was not saved.' : failure.message);
    return undefined;
  }
};

/** Labels photographs; an empty name removes their labels. The page shows them when they are on the disk. */
export const give = guarded(async (images, name) => {
  if (images.length === 0) {
    toast('Select photographs first.');
    return;
  }
  applied(await post('api/label', { images, label: name }), name === '' ? 'label removed' : name);
});

let latest = '';
function applied(change, what) {
  shared.state = change.state;
  if (change.state.changes === seen + 1) seen++;
  shared.classes = change.state.classes.map(one => one.name);
  change.images.forEach((image, place) => { shared.labels[image] = change.labels[place]; });
  const which = change.images.length === 1 ? shared.paths[change.images[0]] : photographs(change.images.length);
  latest = change.images.length > 0 ? `${which}: ${what}` : '';
  show();
  view?.changed?.(change.images);
}

/** Another page may have changed labels. */
async function follow() {
  if (shared.state.changes <= seen) return;
  const all = await get('api/photographs');
  if (all.changes <= seen) return;
  const changed = all.labels.flatMap((label, image) => label === shared.labels[image] ? [] : [image]);
  seen = all.changes;
  Object.assign(shared, all);
  if (changed.length > 0) view?.changed?.(changed);
}

/** The files that cannot be read, with the reasons. */
export function problems(root, count, sentences) {
  root.hidden = count === 0;
  if (root.childElementCount > 0 && root.dataset.count === String(count)) return;
  root.dataset.count = count;
  root.replaceChildren(element('summary', {}, `${photographs(count)} cannot be read`),
    element('ul', {}, ...sentences.map(sentence => element('li', {}, sentence)),
      sentences.length < count ? element('li', {}, `and ${count - sentences.length} more`) : ''));
}

const undo = guarded(async () => applied(await post('api/undo'), 'change taken back'));

function show() {
  const state = shared.state;
  $('undo').disabled = !state.canUndo;
  $('features').hidden = state.phase !== 'features';
  $('features').value = state.compared || (state.total > 0 ? state.done / state.total : 0);
  problems($('problems'), state.unreadable, state.problems);
  const parts = [`${state.labelled} of ${photographs(state.photographs)} ${state.labelled === 1 ? 'has' : 'have'} a label`];
  if (state.phase === 'features') parts.push(features(state));
  if (state.phase === 'failed') parts.push(`no suggestions: ${state.message}`);
  if (latest) parts.push(latest);
  $('status').textContent = [...parts, ...(state.notes || [])].join(' · ');
  $('advice').textContent = advice(state, current, classesInUse());
  classes();
}

/** What the program computes, and how long it still takes by the speed so far. */
function features(state) {
  if (state.compared > 0) return `comparing all photographs: ${percent(state.compared)}`;
  if (!(state.total > 0)) return 'reading the photographs';
  if (state.done >= state.total) return 'comparing all photographs';
  featuresSince ||= Date.now();
  shared.firstDone ??= state.done;
  const left = (Date.now() - featuresSince) / Math.max(1, state.done - shared.firstDone) * (state.total - state.done) / 1000;
  const time = state.done - shared.firstDone < 5 ? '' : left < 90 ? `, about ${Math.max(5, 5 * Math.round(left / 5))} seconds left` : `, about ${Math.round(left / 60)} minutes left`;
  return `analysing photographs: ${state.done} of ${state.total}${time}`;
}

/**
 * Buttons of all classes with their keys, and a field for a new one; before them what they label. Hidden if there is nothing to
 * label. A view with its own field for a name needs no second one.
 */
function classes() {
  const used = classesInUse();
  const target = view?.target?.() ?? null;
  $('classes').hidden = target === null || (view.ownField && used.length === 0);
  const now = JSON.stringify([used.map(one => [one.name, one.count]), target, view?.ownField]);
  if (now === shown) return;
  shown = now;
  const old = $('classes').querySelector('input');
  const focused = document.activeElement === old && old !== null;
  const field = element('input', { id: 'new', placeholder: used.length === 0 ? 'Name of the first class' : 'New class', maxlength: '100', 'aria-label': `New class for ${target}`, autocomplete: 'off' });
  field.value = old?.value ?? '';
  $('classes').replaceChildren(
    element('span', { class: 'target' }, target === '' ? 'Select photographs to label them' : `Label ${target}:`),
    ...(used.length > 0 ? [element('div', { class: 'chips' }, ...used.map((one, place) => element('button', { type: 'button', 'data-class': one.name, onclick: () => view?.choose?.(one.name) },
      element('span', { class: 'dot', 'data-colour': one.index }), one.name, ' ', element('span', { class: 'quiet' }, String(one.count)), ' ', place < 9 ? element('kbd', {}, String(place + 1)) : '')))] : []),
    view?.ownField ? '' : element('form', { onsubmit: event => {
      event.preventDefault();
      const name = field.value.trim();
      field.value = '';
      field.blur();
      if (name) view?.choose?.(name);
    } }, field, element('button', { type: 'submit' }, 'Add ', element('kbd', {}, 'N'))));
  paint($('classes'));
  if (focused) field.focus();
}

/** A view calls this when another photograph, sheet or selection would get the next label. */
export const retarget = () => classes();

/** Colours and sizes are set by script, since the page's policy forbids style attributes. */
export function paint(root) {
  root.querySelectorAll('[data-colour]').forEach(dot => { dot.style.background = colour(Number(dot.dataset.colour)); });
  root.querySelectorAll('[data-part]').forEach(bar => { bar.style.width = `${100 * Number(bar.dataset.part)}%`; });
}

function tabs() {
  $('views').replaceChildren(...Object.keys(VIEWS).map(one =>
    element('button', { type: 'button', 'aria-current': one === current ? 'page' : false, onclick: () => open(one) }, one,
      one === 'Check' && shared.suspects > 0 ? element('span', { class: 'count' }, String(shared.suspects)) : '')));
}

/** A view that has counted suspicious labels. */
export function suspected(count) {
  if (shared.suspects !== count) {
    shared.suspects = count;
    tabs();
  }
}

export function open(name) {
  view?.close?.();
  current = name;
  history.replaceState(null, '', `#${name}`);
  tabs();
  $('view').replaceChildren();
  scrollTo(0, 0);
  view = VIEWS[name]($('view'));
  latest = '';
  show();
}

document.addEventListener('keydown', event => {
  const typing = event.target.matches?.('input:not([type="checkbox"]), select, textarea');
  if (event.ctrlKey || event.metaKey || event.altKey || $('helpbox').open) return;
  if (typing) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const names = classesInUse();
  const place = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
  const key = event.key.toLowerCase();
  if (place >= 0 && names[place] && !$('classes').hidden) view?.choose?.(names[place].name);
  else if (key === 'u' || key === 'z') undo();
  else if (key === '?') help();
  else if (key === 'n' && $('new') && !$('classes').hidden) $('new').focus();
  else if (!view?.key?.(event, key)) return;
  event.preventDefault();
});

async function poll() {
  try {
    shared.state = await get('api/state');
    await follow();
    if (shared.state.phase !== previousPhase) {
      previousPhase = shared.state.phase;
      view?.ready?.(previousPhase);
    }
    show();
    view?.polled?.(shared.state);
  } catch {
    $('status').textContent = 'The studio does not answer. Is the command still running?';
  }
  const busy = shared.state.phase === 'features' || ['training', 'searching', 'predicting'].includes(shared.state.training?.phase);
  setTimeout(poll, busy ? 400 : 1000);
}

$('undo').addEventListener('click', undo);
$('help').addEventListener('click', help);
const all = await get('api/photographs');
Object.assign(shared, all);
seen = all.changes;
shared.state = await get('api/state');
previousPhase = shared.state.phase;
open(VIEWS[location.hash.slice(1)] ? location.hash.slice(1) : 'Start');
poll();
