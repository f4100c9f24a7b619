// The field for a key or a token. Swagger UI keeps an accepted one in the storage of this browser.
import { forgetIds, prefix } from './examples.js';

const form = document.querySelector('#credential');
const field = document.querySelector('#key');
const forget = document.querySelector('#forget');
const state = document.querySelector('#credential-state');

/** Checks a key against the server before it is used, and fills in the first user that it reads. */
export function connectCredential(ui, learn) {
  const accept = (credential) => {
    ui.preauthorizeApiKey(credential.startsWith('sk-') ? 'apiKey' : 'bearer', credential);
    ui.authActions.persistAuthorizationIfNeeded();
    showKept(ui);
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await check(field.value.trim(), accept, learn);
  });
  // What is entered before this would be lost: the browser may send no form.
  field.disabled = false;
  forget.addEventListener('click', () => {
    ui.authActions.logoutWithPersistOption([...ui.authSelectors.authorized().keys()]);
    forgetIds();
    showKept(ui);
  });
  showKept(ui);
  return { accept };
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

function showKept(ui) {
  const kept = ui.authSelectors.authorized();
  const names = { apiKey: 'API key', bearer: 'token' };
  const shown = Object.keys(names).filter((scheme) => kept.has(scheme));
  forget.hidden = shown.length === 0;
  if (shown.length > 0)
    return say(`Every request uses the ${shown.map((one) => names[one]).join(' and the ')}.`, 'good');
  say('', '');
  const logIn = Object.assign(document.createElement('a'), {
    href: '#/Accounts/auth.login',
    textContent: 'log in',
  });
  state.append('npm start prints the command that shows one; or ', logIn, ' and create one.');
}

function say(text, className) {
  state.textContent = text;
  state.className = className;
}
