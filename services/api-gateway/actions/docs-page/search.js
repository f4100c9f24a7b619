// One search over the guides and the reference: results as they are typed, in the place of the list of contents.
const field = document.querySelector('#search');
const found = document.querySelector('#found');
const results = document.querySelector('#results');
const groups = document.querySelector('#groups');
const navigation = document.querySelector('#navigation');
const menu = document.querySelector('#menu');

const shownResults = 40;
const excerptLength = 110;

/** What can be found. That of the guides is loaded when the field is used first. */
let loading = null;

/** Makes the field search, and the keyboard lead through the results. */
export function connectSearch() {
  field.disabled = false;
  field.addEventListener('focus', () => void load());
  field.addEventListener('input', () => void search());
  navigation.addEventListener('keydown', move);
  document.addEventListener('keydown', startOrEnd);
  menu.addEventListener('click', () => {
    menu.setAttribute('aria-expanded', String(groups.classList.toggle('open')));
  });
  groups.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
}

function load() {
  loading ??= fetch('/docs/guides.json').then(async (response) => [
    ...(await response.json()).flatMap(sectionsOf),
    ...[...groups.querySelectorAll('a[title]')].map(operationOf),
  ]);
  return loading;
}

function sectionsOf({ title, path, sections }) {
  return sections.map(({ id, heading, text }, index) => {
    const isFirst = index === 0;
    const names = isFirst ? [title, 'guide'] : [heading, title];
    return entry(names, isFirst ? path : `${path}#${id}`, text);
  });
}

function operationOf(link) {
  const [summary, method] = [...link.children].map(({ textContent }) => textContent);
  const section = link.closest('details').querySelector('summary').textContent;
  const path = link.title;
  return { ...entry([summary, section], link.href, path), method, path };
}

function entry([title, context], href, text) {
  return { title, context, href, text, low: { title: title.toLowerCase(), text: text.toLowerCase() } };
}

async function search() {
  const entries = await load();
  const query = field.value.trim().toLowerCase();
  const isSearching = query !== '';
  results.hidden = !isSearching;
  groups.hidden = isSearching;
  const matches = isSearching ? matchesOf(entries, query) : [];
  results.replaceChildren(...matches.slice(0, shownResults).map((one) => resultOf(one, query)));
  found.textContent = isSearching ? countOf(matches.length) : '';
}

function countOf(count) {
  if (count === 0) return 'Nothing found';
  if (count > shownResults) return `The first ${shownResults} of ${count} results`;
  return count === 1 ? '1 result' : `${count} results`;
}

/** The entries that match, best first. Equal ones keep their order: guides, then operations. */
function matchesOf(entries, query) {
  const words = query.split(/\s+/);
  return entries
    .map((one) => ({ one, score: scoreOf(one, query, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}

function scoreOf({ low, context, method = '', path = '' }, query, words) {
  if (low.title === query || (path !== '' && path === query)) return 5;
  if (low.title.startsWith(query)) return 4;
  if (low.title.includes(query) || path.includes(query)) return 3;
  const names = `${low.title} ${context.toLowerCase()} ${method.toLowerCase()}`;
  if (words.every((word) => names.includes(word))) return 2;
  return words.every((word) => names.includes(word) || low.text.includes(word)) ? 1 : 0;
}

function resultOf({ title, context, href, text, method }, query) {
  const link = element('a', { href, title: method === undefined ? '' : text });
  link.append(element('span', { textContent: title }));
  if (method !== undefined) link.append(element('code', { textContent: method }));
  const detail = method === undefined ? excerptOf(text, query) : text;
  link.append(element('small', { textContent: `${context}${detail === '' ? '' : ` · ${detail}`}` }));
  const item = element('li', {});
  item.append(link);
  return item;
}

function excerptOf(text, query) {
  const at = text.toLowerCase().indexOf(query.split(/\s+/)[0]);
  const start = at < excerptLength / 4 ? 0 : text.lastIndexOf(' ', at - excerptLength / 4) + 1;
  const excerpt = text.slice(start, start + excerptLength);
  return `${start > 0 ? '…' : ''}${excerpt}${start + excerptLength < text.length ? '…' : ''}`;
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

/** Arrow keys move between the field and the results, Enter in the field opens the first one. */
async function move(event) {
  if (event.target !== field && !results.contains(event.target)) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const isOpening = event.key === 'Enter' && event.target === field;
  if (step === undefined && !isOpening) return;
  event.preventDefault();
  if (event.target === field) await search(); // what was typed last may not be shown yet
  const places = [field, ...results.querySelectorAll('a')];
  if (isOpening) places[1]?.click();
  else places[places.indexOf(event.target) + step]?.focus();
}

function clear() {
  field.value = '';
  void search();
  field.focus();
}

/** `/` starts a search and Escape ends it, unless another field has the focus. */
function startOrEnd(event) {
  const typedIn = event.target.closest('input, textarea, select, [contenteditable]');
  if (event.key === 'Escape' && field.value !== '' && [null, field].includes(typedIn)) return clear();
  if (event.key !== '/' || typedIn !== null || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
  field.select();
}
