// The field for a key or a token.
import { prefix } from './examples.js';

const form = document.querySelector('#credential');
const field = document.querySelector('#key');
const forget = document.querySelector('#forget');
const state = document.querySelector('#credential-state');

/**
 * Checks a key against the server before it is used. `place` keeps it; `learn` gets the answer, which names the first user
 * that the key reads.
 */
export function connectCredential(place, learn) {
  const show = () => showKept(place.schemes());
  const accept = (credential) => {
    place.keep(credential);
    show();
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await check(field.value.trim(), accept, learn);
  });
  // What is entered before this would be lost: the browser may send no form.
  field.disabled = false;
  forget.addEventListener('click', () => {
    place.forget();
    show();
  });
  show();
  return { accept, show };
}

async function check(credential, accept, learn) {
  say('Checking…', '');
  const url = `${prefix}/users?limit=1`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${credential}` } }).catch(() => null);
  const body = await response?.json().catch(() => null);
  if (response === null) return say('The server cannot be reached.', 'bad');
  if (response.status === 401) return say(`The server refuses the key: ${body?.detail}`, 'bad');
  field.value = '';
  accept(credential);
  if (response.ok) learn({ url, body });
}

function showKept(schemes) {
  const names = { apiKey: 'API key', bearer: 'token' };
  const shown = Object.keys(names).filter((scheme) => schemes.includes(scheme));
  forget.hidden = shown.length === 0;
  if (shown.length > 0)
    return say(`Every request uses the ${shown.map((one) => names[one]).join(' and the ')}.`, 'good');
  say('', '');
  const logIn = Object.assign(document.createElement('a'), {
    href: '/docs#/Accounts/auth.login',
    textContent: 'log in',
  });
  state.append('npm start prints the command that shows one; or ', logIn, ' and create one.');
}

function say(text, className) {
  state.textContent = text;
  state.className = className;
}
