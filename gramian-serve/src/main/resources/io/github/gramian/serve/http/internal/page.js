'use strict';

const at = id => document.getElementById(id);
const svg = 'http://www.w3.org/2000/svg';
let shown = '';
let overlay = '';
let asked = null;
let turn = 0;

/** Black over magenta to light yellow, evenly lighter. */
const stops = [[21, 14, 55], [89, 21, 126], [183, 55, 121], [251, 136, 97], [252, 253, 191]];

function colour(value) {
  const place = value / 255 * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(place));
  return stops[low].map((from, i) => from + (place - low) * (stops[low + 1][i] - from));
}

function say(text, wrong) {
  at('message').textContent = text;
  at('message').classList.toggle('wrong', Boolean(wrong));
}

function headers() {
  const key = at('key').value;
  return key ? {'X-API-Key': key} : {};
}

async function send(address, options) {
  const response = await fetch(address, {...options, headers: headers()});
  if (response.status === 401) {
    at('secret').hidden = false;
  }
  if (!response.ok) {
    throw new Error((await response.json()).error);
  }
  return response;
}

async function ask(address, options) {
  return (await send(address, options)).json();
}

function showPhoto(file) {
  if (shown) {
    URL.revokeObjectURL(shown);
  }
  shown = URL.createObjectURL(file);
  at('photo').src = shown;
  at('photo').alt = file.name;
  at('photo').hidden = false;
  at('hint').hidden = true;
  hideOverlay();
  clearResults();
}

/** Results of one photograph never stand next to another one, nor next to an error. */
function clearResults() {
  const none = document.createElement('li');
  none.className = 'none';
  none.textContent = 'none yet';
  at('classes').replaceChildren(none);
  for (const id of ['where', 'map', 'set', 'novelty', 'similar', 'figure']) {
    at(id).hidden = true;
  }
  at('no-matrix').hidden = false;
  at('no-matrix').textContent = 'none yet';
  asked = null;
}

/** Shows the photograph alone. */
function hideOverlay() {
  if (overlay.startsWith('blob:')) {
    URL.revokeObjectURL(overlay);
  }
  overlay = '';
  at('photo').src = shown;
  for (const id of ['where', 'map']) {
    at(id).setAttribute('aria-pressed', 'false');
  }
  at('legend').hidden = true;
  at('areas').hidden = true;
}

/** Shows a picture instead of the photograph, or the photograph again if its button is pressed already. */
async function toggle(id, picture) {
  const pressed = at(id).getAttribute('aria-pressed') === 'true';
  hideOverlay();
  if (pressed) {
    return;
  }
  const {file} = asked;
  at(id).disabled = true;
  try {
    const [address, legend, areas] = await picture(asked);
    if (asked && asked.file === file) {
      hideOverlay();
      overlay = address;
      at('photo').src = overlay;
      at(id).setAttribute('aria-pressed', 'true');
      at('legend').textContent = legend;
      at('legend').hidden = false;
      showAreas(areas);
    }
  } catch (failure) {
    say(failure.message, true);
  } finally {
    at(id).disabled = false;
  }
}

async function where({file, query, answer}) {
  const picture = await (await send('/explain?' + new URLSearchParams({...query, class: answer.class, format: 'png'}),
      {method: 'POST', body: file})).blob();
  return [URL.createObjectURL(picture), 'Bright areas raised the score of ' + answer.class
      + '; grey areas did not. The picture shows the part that the network saw.', []];
}

async function map({file, query, answer}) {
  const {picture, areas} = await ask('/page/map?' + new URLSearchParams(query), {method: 'POST', body: file});
  return [picture, answer.top ? 'Each colour is a class; dark areas look like none of them.'
      : 'Bright areas do not look like the good parts that the model knows.', areas];
}

/** The classes of a map with their colours and shares of the photograph. */
function showAreas(areas) {
  at('areas').replaceChildren(...areas.map(area => {
    const line = document.createElement('li');
    const colours = document.createElementNS(svg, 'svg');
    colours.setAttribute('viewBox', '0 0 1 1');
    colours.setAttribute('aria-hidden', 'true');
    const square = document.createElementNS(svg, 'rect');
    square.setAttribute('width', 1);
    square.setAttribute('height', 1);
    square.setAttribute('fill', area.colour);
    colours.append(square);
    line.append(colours, ' ' + area.name + ' ' + (100 * area.share).toFixed(1) + ' %');
    return line;
  }));
  at('areas').hidden = areas.length === 0;
}

/** A bar as attributes of an SVG: the policy allows no style in the page. */
function bar(share) {
  const picture = document.createElementNS(svg, 'svg');
  picture.setAttribute('viewBox', '0 0 100 4');
  picture.setAttribute('preserveAspectRatio', 'none');
  picture.setAttribute('aria-hidden', 'true');
  for (const [name, width] of [['track', 100], ['part', 100 * share]]) {
    const part = document.createElementNS(svg, 'rect');
    part.setAttribute('class', name);
    part.setAttribute('width', width);
    part.setAttribute('height', 4);
    picture.append(part);
  }
  return picture;
}

/** A line of a list: a name and a number, and how much of 1 it is. */
function lineOf(texts, share) {
  const line = document.createElement('li');
  const name = document.createElement('div');
  name.className = 'name';
  for (const text of texts) {
    const part = document.createElement('span');
    part.textContent = text;
    name.append(part);
  }
  line.append(name, bar(Math.max(0, Math.min(1, share))));
  return line;
}

/** The most probable classes; a model of good parts answers good or defect, without probabilities. */
function showClasses(answer) {
  if (answer.top) {
    at('classes').replaceChildren(...answer.top.map(one =>
      lineOf([one.class, (100 * one.probability).toFixed(1) + ' %'], one.probability)));
  } else {
    const line = document.createElement('li');
    const name = document.createElement('b');
    name.textContent = answer.class;
    line.append(name);
    at('classes').replaceChildren(line);
  }
}

/** The most similar photographs, if the server has an index of the model. */
function showNeighbours(neighbours) {
  at('similar').hidden = !neighbours;
  at('neighbours').classList.toggle('pictures', (neighbours || []).some(one => one.thumbnail));
  at('neighbours').replaceChildren(...(neighbours || []).map(one => {
    const line = lineOf([one.file, one.similarity.toFixed(3)], one.similarity);
    if (one.thumbnail) {
      const copy = document.createElement('img');
      copy.src = one.thumbnail;
      copy.alt = '';
      line.prepend(copy);
    }
    return line;
  }));
}

/** Text of an element, which is hidden if there is none. */
function showText(id, text) {
  at(id).textContent = text;
  at(id).hidden = !text;
}

/** A share of images in percent; small shares keep a digit. */
function percent(share) {
  return (100 * share).toFixed(share < 0.1 ? 1 : 0) + ' %';
}

/** The set of classes and the novelty, for models that give them. */
function showCertainty(answer) {
  const classes = answer.set || [];
  showText('set', classes.length === 0 ? '' : 'Set of classes: ' + classes.join(', ')
      + '. Such a set holds the true class for ' + percent(answer.coverage)
      + ' of images like the training images.');
  const known = answer.novelty !== undefined;
  const unlike = known && (answer.top ? answer.novelty < 0.05 : answer.class === 'defect');
  const others = answer.top ? 'training images' : 'good parts';
  showText('novelty', !known ? '' : (unlike ? 'Unlike the ' : 'Like the ') + others + ': '
      + (unlike ? 'only ' : '') + percent(answer.novelty) + ' of ' + (answer.top ? 'images like them' : 'good photographs')
      + ' look at least as unusual as this one (p = ' + answer.novelty.toPrecision(2) + ').');
  at('novelty').classList.toggle('wrong', unlike);
}

function showMatrix(matrix) {
  const bytes = Uint8Array.from(atob(matrix.pixels), letter => letter.charCodeAt(0));
  const canvas = at('matrix');
  canvas.width = matrix.width;
  canvas.height = matrix.height;
  const context = canvas.getContext('2d');
  const image = context.createImageData(matrix.width, matrix.height);
  bytes.forEach((value, i) => image.data.set([...colour(value), 255], 4 * i));
  context.putImageData(image, 0, 0);
  at('low').textContent = matrix.low.toPrecision(2);
  at('high').textContent = matrix.high.toPrecision(2);
  at('caption').textContent = matrix.title;
  at('figure').hidden = false;
  at('no-matrix').hidden = true;
}

async function read(file) {
  showPhoto(file);
  say('asking …');
  const chosen = at('model').selectedOptions[0];
  const query = chosen ? {model: chosen.dataset.name, version: chosen.dataset.version} : {};
  const start = performance.now();
  const mine = ++turn;
  try {
    const answer = await ask('/page/reading?' + new URLSearchParams(query), {method: 'POST', body: file});
    if (mine !== turn) {
      return; // another photograph was chosen meanwhile
    }
    showClasses(answer);
    showCertainty(answer);
    showNeighbours(answer.neighbours);
    if (answer.matrix) {
      showMatrix(answer.matrix);
    } else {
      at('no-matrix').textContent = 'none: this model compares photographs with good parts';
    }
    asked = {file, query, answer};
    at('where').hidden = !answer.explained;
    at('map').hidden = !answer.mapped;
    say(answer.class + ', in ' + Math.round(performance.now() - start) + ' ms, by ' + answer.model + ' ' + answer.version
        + ' (SHA-256 ' + answer.modelSha256.slice(0, 12) + '…)');
  } catch (failure) {
    if (mine === turn) {
      say(failure.message, true);
    }
  }
}

function showModels(models) {
  if (at('model').length === 0) {
    for (const one of models) {
      const option = document.createElement('option');
      option.textContent = one.name + ' ' + one.version;
      option.dataset.name = one.name;
      option.dataset.version = one.version;
      at('model').append(option);
    }
    at('choice').hidden = models.length < 2;
  }
}

async function refresh() {
  try {
    const status = await ask('/page/status', {});
    const millis = value => value ? value.toFixed(value < 10 ? 1 : 0) + ' ms' : '–';
    showModels(status.models);
    at('rate').textContent = status.perSecond.toFixed(1);
    at('median').textContent = millis(status.medianMillis);
    at('p99').textContent = millis(status.p99Millis);
    at('queue').textContent = status.models.reduce((sum, one) => sum + one.waiting, 0);
    at('state').textContent = status.ready ? 'ready' : 'ending';
  } catch (failure) {
    at('state').textContent = at('secret').hidden ? 'away' : 'needs a key';
  }
}

at('file').addEventListener('change', () => at('file').files.length && read(at('file').files[0]));
for (const name of ['dragenter', 'dragover']) {
  document.addEventListener(name, event => {
    event.preventDefault();
    at('target').classList.add('over');
  });
}
for (const name of ['dragleave', 'drop']) {
  document.addEventListener(name, event => {
    event.preventDefault();
    at('target').classList.remove('over');
  });
}
document.addEventListener('drop', event => event.dataTransfer.files.length && read(event.dataTransfer.files[0]));
at('where').addEventListener('click', () => toggle('where', where));
at('map').addEventListener('click', () => toggle('map', map));
at('key').addEventListener('change', refresh);
refresh();
setInterval(() => document.hidden || refresh(), 2000);
