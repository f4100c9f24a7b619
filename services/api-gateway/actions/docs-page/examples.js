// What a newcomer would have to look up: ids of earlier answers become the examples of the next requests.
export const prefix = '/api/v1';
const store = 'pulsebus.docs.ids';
const ids = JSON.parse(sessionStorage.getItem(store) ?? '{}');

/** Keeps the ids of an answer. Returns the parameters that they fill in, with the values that they replace. */
export function learnFrom(spec, path, answer) {
  const template = Object.keys(spec.paths).find((one) => patternOf(one).test(path));
  const item = [answer, answer.data, answer.items].find(Array.isArray)?.[0] ?? answer;
  const before = { ...ids };
  for (const [place, name] of placesBelow(spec, template)) {
    const value = item[name] ?? item.id;
    if (typeof value === 'string') ids[place] = value;
  }
  sessionStorage.setItem(store, JSON.stringify(ids));
  return parametersOf(spec)
    .filter(({ place }) => ids[place] !== before[place])
    .map((one) => ({ ...one, value: ids[one.place], previous: before[one.place] }));
}

/** Puts the kept ids into the document. */
export function fillIn(spec) {
  for (const { parameter, place } of parametersOf(spec))
    if (ids[place] !== undefined) parameter.example = ids[place];
}

/**
 * A plugin of Swagger UI: fills values into forms. A change of the document would have the same effect, but Swagger UI
 * reads the whole document again for each change, which takes seconds. What was typed by hand is kept.
 */
export function fillInForms() {
  const fillIn = (parameters) => ({ type: 'pulsebus_fill_in', payload: parameters });
  const fill = (state, { path, method, parameter, value, previous }) => {
    const field = ['meta', 'paths', path, method, 'parameters', `${parameter.in}.${parameter.name}`, 'value'];
    return [undefined, '', previous].includes(state.getIn(field)) ? state.setIn(field, value) : state;
  };
  const reducers = { pulsebus_fill_in: (state, { payload }) => payload.reduce(fill, state) };
  return { statePlugins: { spec: { actions: { fillIn }, reducers } } };
}

function parametersOf({ paths }) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters = [] }]) =>
      parameters.map((parameter) => ({ path, method, parameter, place: placeOf(path, parameter) })),
    ),
  );
}

/** The ids belong to the users of a key: they are dropped with it. */
export function forgetIds() {
  for (const place of Object.keys(ids)) delete ids[place];
  sessionStorage.removeItem(store);
}

function patternOf(template) {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** The parameters that stand directly below a path: of `/users` it is `/users/{user_id}`. */
function placesBelow(spec, template) {
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

function placeOf(path, { in: where, name }) {
  if (where === 'path') return placesOf(path).find((place) => place.endsWith(`{${name}}`));
  return where === 'query' && name === 'user_id' ? '/users/{user_id}' : '';
}
