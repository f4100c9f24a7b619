// The list of the operations. A link names a section and an operation: #/Users/users.list
import { EVENTS, SCHEMAS } from './layout.js';

const list = document.querySelector('#sections');
const search = document.querySelector('#search');

/** Lists the operations and the events, and shows what the address names. */
export function connectSections(ui, spec) {
  list.append(...groupsOf(spec).map(groupOf));
  search.addEventListener('input', () => filterBy(search.value.trim().toLowerCase()));
  addEventListener('hashchange', () => show(ui));
  // A link of the present address changes no hash, but its operation may have been closed.
  list.addEventListener('click', ({ target }) => {
    if (target.closest('a')?.hash === location.hash) show(ui);
  });
  show(ui);
}

/** The sections of the document, each with its operations. */
function groupsOf({ tags, paths, webhooks }) {
  const operations = operationsOf(paths);
  const groups = tags.map(({ name }) => [name, operations.filter(({ tags }) => tags.includes(name))]);
  const events = operationsOf(webhooks).map((event) => ({ ...event, method: '', search: event.path }));
  return [...groups, [EVENTS, events], [SCHEMAS, [{ operationId: '', summary: 'All schemas', method: '' }]]];
}

function operationsOf(paths) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  );
}

function groupOf([name, operations]) {
  const group = element('details', {});
  const links = element('ul', {});
  links.append(...operations.map((operation) => linkTo(name, operation)));
  group.append(element('summary', { textContent: name }), links);
  return group;
}

function linkTo(section, { operationId, summary, method, path = '' }) {
  const item = element('li', {});
  const link = element('a', { href: `#/${encodeURIComponent(section)}/${operationId}`, title: path });
  link.append(
    element('span', { textContent: summary }),
    element('code', { textContent: method.toUpperCase() }),
  );
  item.append(link);
  return item;
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

/** Shows the operations whose summary, method or path has the text, with all their groups open. */
function filterBy(text) {
  for (const group of list.children) {
    const items = [...group.querySelectorAll('li')];
    for (const item of items) item.hidden = !textOf(item).includes(text);
    group.hidden = items.every((item) => item.hidden);
    group.open = text !== '' || group.querySelector('[aria-current]') !== null;
  }
}

function textOf(item) {
  return `${item.textContent} ${item.querySelector('a').title}`.toLowerCase();
}

/** Shows the section of the address, opens its operation and marks its link. */
function show(ui) {
  const [, section = '', operation = ''] = location.hash.split('/').map(decodeURIComponent);
  const tag = section === EVENTS ? 'webhooks' : section;
  ui.layoutActions.updateFilter(section);
  if (section === SCHEMAS) ui.layoutActions.show(['components', 'schemas'], true);
  if (operation !== '') ui.layoutActions.show(['operations', tag, operation], true);
  mark();
  requestAnimationFrame(() => scrollTo(operation));
}

function mark() {
  for (const link of list.querySelectorAll('a')) {
    if (link.hash !== location.hash) link.removeAttribute('aria-current');
    else {
      link.setAttribute('aria-current', 'page');
      link.closest('details').open = true;
    }
  }
}

// Swagger UI names the element of an operation by its section and id, with characters replaced.
function scrollTo(operation) {
  const blocks = [...document.querySelectorAll('#page .opblock')];
  const block = blocks.find(
    ({ id }) => operation !== '' && id.endsWith(`-${operation.replaceAll('.', '_')}`),
  );
  const target = block ?? document.querySelector('#page');
  target.scrollIntoView({ block: 'start' });
}
