// The page at /docs: Swagger UI over openapi.json. It fills in what a newcomer would have to look up: recent dates,
// ids of earlier answers, and the credential of a log-in or of a new key.
const prefix = '/api/v1';
const dayMs = 86_400_000;
const store = { ids: 'pulsebus.docs.ids' };

const spec = await loadSpec();
const ids = JSON.parse(sessionStorage.getItem(store.ids) ?? '{}');
fillIn();

const ui = SwaggerUIBundle({
  spec,
  dom_id: '#page',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  plugins: [tryOutPlugin],
  responseInterceptor: (response) => {
    if (response.ok && response.url.includes(prefix)) learnFrom(response);
    return response;
  },
});

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

/** No "Execute" where the document says so: a stream would freeze the page. */
function tryOutPlugin() {
  const allowTryItOutFor = () => (_, path, method) => spec.paths[path]?.[method]?.['x-try-out'] !== false;
  return { statePlugins: { spec: { wrapSelectors: { allowTryItOutFor } } } };
}

/** Keeps what the next requests need of an answer, and shows it. */
function learnFrom({ url, body, obj = body }) {
  const path = new URL(url, location.href).pathname.slice(prefix.length);
  if (path === '/auth/login') return authorize('bearer', obj.access_token);
  if (path.startsWith('/api-keys') && typeof obj.key === 'string') authorize('apiKey', obj.key);
  const template = Object.keys(spec.paths).find((one) => patternOf(one).test(path));
  const item = [obj, obj.data, obj.items].find(Array.isArray)?.[0] ?? obj;
  for (const [place, name] of placesBelow(template)) {
    const value = item[name] ?? item.id;
    if (typeof value === 'string') ids[place] = value;
  }
  sessionStorage.setItem(store.ids, JSON.stringify(ids));
  fillIn();
  ui.specActions.updateJsonSpec(spec);
}

function authorize(scheme, credential) {
  ui.preauthorizeApiKey(scheme, credential);
  ui.authActions.persistAuthorizationIfNeeded();
}

function patternOf(template) {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** The parameters that stand directly below a path: of `/users` it is `/users/{user_id}`. */
function placesBelow(template) {
  const places = new Set(Object.keys(spec.paths).flatMap(placesOf));
  return [...places].flatMap((place) => {
    const [, above, name] = place.match(/^(.*)\/\{(\w+)\}$/);
    return above === template ? [[place, name]] : [];
  });
}

/** The parts of a path that end with a parameter. */
function placesOf(path) {
  return [...path.matchAll(/\{\w+\}/g)].map(({ 0: name, index }) => path.slice(0, index + name.length));
}

/** Puts the known ids into the parameters of the paths, and the known user into queries. */
function fillIn() {
  for (const [path, operations] of Object.entries(spec.paths))
    for (const { parameters = [] } of Object.values(operations))
      for (const parameter of parameters) {
        const known = ids[placeOf(path, parameter)];
        if (known !== undefined) parameter.example = known;
      }
}

function placeOf(path, { in: where, name }) {
  if (where === 'path') return placesOf(path).find((place) => place.endsWith(`{${name}}`));
  return where === 'query' && name === 'user_id' ? '/users/{user_id}' : '';
}
