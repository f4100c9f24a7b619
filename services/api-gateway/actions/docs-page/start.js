// The reference at /docs: a key, the list of the operations, and Swagger UI, which shows one section at a time. Rendering all
// sections at once takes most of the time until the page can be used.
import { connectCredential } from './credential.js';
import { fillIn, fillInForms, forgetIds, learnFrom, prefix } from './examples.js';
import { schemeOf } from './kept-credential.js';
import { layout } from './layout.js';
import { connectSearch } from './search.js';
import { connectSections } from './sections.js';

connectSearch();

const dayMs = 86_400_000;
const spec = await loadSpec();
fillIn(spec);
// Swagger UI would copy what operations inherit to each of them whenever one is opened, which takes half of the time. Those
// of this document inherit nothing.
spec.$$normalized = true;

const ui = SwaggerUIBundle({
  spec,
  dom_id: '#operations',
  layout: 'SectionLayout',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  plugins: [tryOutPlugin, layout, fillInForms],
  responseInterceptor: (response) => {
    if (response.ok && response.url.includes(prefix)) learn(response);
    return response;
  },
});
const credential = connectCredential(keptBySwagger(), learn);
connectSections(ui);

/** The place in which Swagger UI keeps credentials: its state and the storage of this browser. */
function keptBySwagger() {
  return {
    schemes: () => [...ui.authSelectors.authorized().keys()],
    keep(credential) {
      ui.preauthorizeApiKey(schemeOf(credential), credential);
      ui.authActions.persistAuthorizationIfNeeded();
    },
    forget() {
      ui.authActions.logoutWithPersistOption([...ui.authSelectors.authorized().keys()]);
      forgetIds();
    },
  };
}

/** The document, its example dates moved to yesterday and today, where the sandbox has data. */
async function loadSpec() {
  const midnight = Math.floor(Date.now() / dayMs) * dayMs;
  const dateOf = (ms) => new Date(ms).toISOString().slice(0, 10);
  const moved = new Map([
    ['2026-01-01', dateOf(midnight - dayMs)],
    ['2026-01-02', dateOf(midnight)],
    [1_767_225_600, (midnight - dayMs) / 1000],
  ]);
  const text = await (await fetch(`${prefix}/openapi.json`)).text();
  return JSON.parse(text, (_, value) => moved.get(value) ?? value);
}

/**
 * No "Execute" where the document says so: a stream would freeze the page. Elsewhere it is enabled once the operation has
 * been resolved: a press before that would leave it busy.
 */
function tryOutPlugin() {
  const allowTryItOutFor = () => (_, path, method) => spec.paths[path]?.[method]?.['x-try-out'] !== false;
  const execute = (Button, { React, specSelectors }) =>
    function ResolvedOnly(props) {
      const isResolved = specSelectors.specResolvedSubtree(['paths', props.path, props.method]) !== undefined;
      return React.createElement(Button, { ...props, disabled: props.disabled || !isResolved });
    };
  return { statePlugins: { spec: { wrapSelectors: { allowTryItOutFor } } }, wrapComponents: { execute } };
}

/** Keeps what the next requests need of an answer, and shows it. */
function learn({ url, body, obj = body }) {
  const path = new URL(url, location.href).pathname.slice(prefix.length);
  if (path === '/auth/login') return credential.accept(obj.access_token);
  if (path.startsWith('/api-keys') && typeof obj.key === 'string') credential.accept(obj.key);
  ui.specActions.fillIn(learnFrom(spec, path, obj));
}
