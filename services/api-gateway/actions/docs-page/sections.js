// What the reference shows. A link of the navigation names a section and an operation: #/Users/users.list
import { EVENTS, INTRODUCTION, SCHEMAS } from './layout.js';

const navigation = document.querySelector('#navigation');
const overview = document.querySelector('#overview');

/** Shows what the address names, whenever it changes. */
export function connectSections(ui) {
  addEventListener('hashchange', () => show(ui));
  // A link of the present address changes no hash, but its operation may have been closed.
  document.addEventListener('click', ({ target }) => {
    const link = target.closest('a');
    if (link?.hash && isOfThisPage(link) && link.hash === location.hash) show(ui);
  });
  show(ui);
}

/** Shows the section of the address, opens its operation and marks its link. */
function show(ui) {
  const [, section = '', operation = ''] = location.hash.split('/').map(decodeURIComponent);
  const tag = section === EVENTS ? 'webhooks' : section;
  overview.hidden = section !== INTRODUCTION;
  ui.layoutActions.updateFilter(section);
  if (section === SCHEMAS) ui.layoutActions.show(['components', 'schemas'], true);
  if (operation !== '') ui.layoutActions.show(['operations', tag, operation], true);
  mark();
  requestAnimationFrame(() => scrollTo(operation));
}

/** A link that changes only the hash; those of guides lead to other pages. */
function isOfThisPage({ pathname }) {
  return pathname === location.pathname;
}

function mark() {
  for (const link of navigation.querySelectorAll('#groups a')) {
    if (!isOfThisPage(link) || link.hash !== location.hash) link.removeAttribute('aria-current');
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
