import { Html, html, nothing } from '../connect-page/html.ts';
import { introduction, sections } from '../openapi/openapi.ts';
import { type Guide, guidePath } from './guides.ts';
import { render } from './markdown.ts';
import type { ReferenceLink } from './reference.ts';

/** What the navigation lists. */
export interface Navigation {
  readonly guides: readonly Guide[];
  readonly reference: ReadonlyMap<string, readonly ReferenceLink[]>;
}

/** The page of the reference: an overview that needs no scripts, and a place that Swagger UI fills with a section. */
export function referencePage(navigation: Navigation): string {
  return page({
    title: 'Pulsebus API',
    kind: 'reference',
    styles: ['swagger-ui.css'],
    navigation: navigationOf(navigation),
    main: html`<main id="page" tabindex="-1">${overviewOf(navigation)}<div id="operations"></div></main>`,
    scripts: html`<script src="/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/start.js"></script>`,
  });
}

/** The page of a guide, which is complete without scripts. */
export function guidePage(guide: Guide, navigation: Navigation): string {
  return page({
    title: `${guide.title} – Pulsebus`,
    kind: 'guide',
    styles: ['guide.css'],
    navigation: navigationOf(navigation, guide.name),
    main: html`<main id="page" tabindex="-1"><article>${new Html(guide.html)}</article></main>
${contentsOf(guide)}`,
    scripts: guideScript,
  });
}

/** The page of an address below /docs/guides that names no guide. */
export function missingPage(navigation: Navigation): string {
  return page({
    title: 'No such guide – Pulsebus',
    kind: 'guide',
    styles: ['guide.css'],
    navigation: navigationOf(navigation),
    main: html`<main id="page" tabindex="-1"><article><h1>There is no such guide</h1>
<p>The list of contents has all guides.</p></article></main>`,
    scripts: guideScript,
  });
}

/** What the API is for, a day of a user, and the operations by section. */
function overviewOf({ reference }: Navigation): Html {
  const groups = [...reference].map(([name, links]) => {
    const items = links.map(({ id, summary }) => html`<li><a href="${linkOf(name, id)}">${summary}</a></li>`);
    return html`<section><h2><a href="${linkOf(name, '')}">${name}</a></h2>
<p>${sections[name] ?? ''}</p><ul>${items}</ul></section>\n`;
  });
  return html`<div id="overview"><article>${new Html(render(`# Pulsebus API\n\n${introduction}`, () => null).html)}
<figure><a href="/console/users"><img class="light" alt="${dayText}" src="${dayImage('light')}" width="1440" height="900">
<img class="dark" alt="${dayText}" src="${dayImage('dark')}" width="1440" height="900" loading="lazy"></a>
<figcaption>A day of a user in the console, drawn from answers of the section Data.</figcaption></figure>
</article><div class="sections">${groups}</div></div>`;
}

const dayText = 'Heart rate, sleep stages, activity and workouts of one day on one axis of time';
const dayImage = (theme: 'light' | 'dark') => `/docs/guides/images/console-user-${theme}-1440.webp`;

const guideScript = html`<script type="module" src="/docs/guide.js"></script>`;

interface Page {
  readonly title: string;
  readonly kind: 'reference' | 'guide';
  readonly styles: readonly string[];
  readonly navigation: Html;
  readonly main: Html;
  readonly scripts: Html;
}

function page({ title, kind, styles, navigation, main, scripts }: Page): string {
  const links = [...styles, 'page.css'].map((file) => html`<link rel="stylesheet" href="/docs/${file}">\n`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<script src="/docs/theme.js"></script>
${links}<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body class="${kind}">
<a class="skip" href="#page">Skip to the content</a>
<header>
<a class="name" href="/docs#/">Pulsebus</a>
<form id="credential">
<label for="key">API key</label>
<input id="key" disabled type="password" autocomplete="off" spellcheck="false" required placeholder="sk-… or a token">
<button type="submit">Use</button>
<button type="button" id="forget" hidden>Forget</button>
<output id="credential-state" for="key"></output>
</form>
<button type="button" id="theme">Theme</button>
</header>
${navigation}
${main}
${scripts}
</body>
</html>
`.text;
}

function navigationOf({ guides, reference }: Navigation, current = ''): Html {
  const names = [...new Set(guides.map(({ group }) => group))];
  const groups = names.map((name) => {
    const links = guides.filter(({ group }) => group === name);
    const items = links.map((guide) => guideLink(guide, current));
    return groupOf(
      name,
      items,
      links.some((guide) => guide.name === current),
    );
  });
  const sections = [...reference].map(([name, links]) =>
    groupOf(
      name,
      links.map((link) => operationLink(name, link)),
      false,
    ),
  );
  return html`<nav id="navigation" aria-label="Documentation">
<div id="find">
<input id="search" type="search" disabled placeholder="Search: press /" aria-label="Search guides and operations">
<button type="button" id="menu" aria-expanded="false" aria-controls="groups">Contents</button>
<output id="found" for="search"></output>
</div>
<ul id="results" aria-label="Results" hidden></ul>
<div id="groups">
<h2>Guides</h2>
${groups}<h2>Reference</h2>
${sections}</div>
</nav>`;
}

function groupOf(name: string, items: readonly Html[], isOpen: boolean): Html {
  const open = isOpen ? html` open` : nothing;
  return html`<details${open}><summary>${name}</summary><ul>${items}</ul></details>\n`;
}

function guideLink({ name, title }: Guide, current: string): Html {
  const mark = name === current ? html` aria-current="page"` : nothing;
  return html`<li><a href="${guidePath(name)}"${mark}><span>${title}</span></a></li>`;
}

function operationLink(section: string, { id, summary, method, path }: ReferenceLink): Html {
  return html`<li><a href="${linkOf(section, id)}" title="${path}"><span>${summary}</span><code>${method}</code></a></li>`;
}

const linkOf = (section: string, id: string) => `/docs#/${encodeURIComponent(section)}/${id}`;

/** The headings of a guide. A guide with few has none. */
function contentsOf({ sections }: Guide): Html {
  const inner = sections.filter(({ depth }) => depth === 2);
  if (inner.length < 2) return nothing;
  const items = inner.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`);
  return html`<nav id="contents" aria-label="On this page"><h2>On this page</h2><ul>${items}</ul></nav>`;
}
