// Swagger UI keeps an accepted credential in the storage of this browser. The guides read and write the same place, so that
// a key is entered once for both.
import { forgetIds } from './examples.js';

const place = 'authorized';
const schemas = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  bearer: { type: 'http', scheme: 'bearer' },
};

/** The scheme of the document with which a credential is sent. */
export function schemeOf(credential) {
  return credential.startsWith('sk-') ? 'apiKey' : 'bearer';
}

/** The place in which the guides keep a credential, as connectCredential takes it. */
export const keptCredential = {
  schemes: () => Object.keys(read()),
  keep(credential) {
    const scheme = schemeOf(credential);
    const entry = { name: scheme, schema: schemas[scheme], value: credential };
    localStorage.setItem(place, JSON.stringify({ ...read(), [scheme]: entry }));
  },
  forget() {
    localStorage.removeItem(place);
    forgetIds();
  },
};

/** The API key that is kept; null if there is none. */
export function keptKey() {
  return read().apiKey?.value ?? null;
}

function read() {
  return JSON.parse(localStorage.getItem(place) ?? '{}');
}
