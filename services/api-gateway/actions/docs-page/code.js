// Code blocks: the address of this gateway and the kept key in them, and a button that copies them.
import { keptKey } from './kept-credential.js';

const mask = 'sk-••••••••';
const copiedMs = 2000;
const keys = [...document.querySelectorAll('.code .key')];
const originals = new Map(keys.map((one) => [one, one.textContent]));

/** Fills in the address, adds the buttons, and lets the keyboard scroll what is wider than the page. */
export function connectCode() {
  for (const one of document.querySelectorAll('.code .base')) one.textContent = addressFor(one.textContent);
  for (const block of document.querySelectorAll('.code')) block.append(buttonFor(block));
  document.addEventListener('copy', copySelection);
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) makeReachable(target);
  });
  for (const one of document.querySelectorAll('.code pre, .table')) observer.observe(one);
  fillCode();
}

/** Shows that the key is filled in, without the key itself: a page can be seen by others. */
export function fillCode() {
  const isKept = keptKey() !== null;
  for (const one of keys) {
    one.textContent = isKept ? mask : originals.get(one);
    one.classList.toggle('filled', isKept);
  }
}

function addressFor(text) {
  return text.startsWith('http') ? location.origin : location.origin.replace(/^http:\/\//, '');
}

function buttonFor(block) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    await copy(block.querySelector('code'));
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, copiedMs);
  });
  return button;
}

async function copy(code) {
  const text = withKey(code.cloneNode(true)).replace(/\n$/, '');
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  // A page of http has no clipboard. A selection can be copied there too.
  getSelection().selectAllChildren(code);
  document.execCommand('copy');
}

/** What is copied has the key that the page masks. */
function copySelection(event) {
  const selection = getSelection();
  if (selection.rangeCount === 0 || keptKey() === null) return;
  const part = selection.getRangeAt(0).cloneContents();
  if (part.querySelector('.key') === null) return;
  event.clipboardData.setData('text/plain', withKey(part));
  event.preventDefault();
}

function withKey(part) {
  const key = keptKey();
  if (key !== null) for (const one of part.querySelectorAll('.key')) one.textContent = key;
  return part.textContent;
}

function makeReachable(scroller) {
  if (scroller.scrollWidth > scroller.clientWidth) scroller.tabIndex = 0;
  else scroller.removeAttribute('tabindex');
}
