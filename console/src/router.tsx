import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

const root = '/console';

/** The path below /console, and the query. */
export const location = signal(read());

function read() {
  const { pathname, search } = window.location;
  return { path: pathname.slice(root.length) || '/', query: new URLSearchParams(search) };
}

window.addEventListener('popstate', () => {
  location.value = read();
});

/** Shows another page without loading the document again. `replace` leaves no entry in the history. */
export function navigate(path: string, replace = false): void {
  const url = root + (path === '/' ? '' : path);
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  const before = location.value.path;
  location.value = read();
  if (before !== location.value.path) window.scrollTo(0, 0);
}

/** Sets parameters of the query; an empty value removes one. With `replace` off, the history keeps the query of before. */
export function setQuery(changes: Readonly<Record<string, string>>, replace = true): void {
  const query = new URLSearchParams(location.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  navigate(location.value.path + (text === '' ? '' : `?${text}`), replace);
}

interface LinkProps {
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly isCurrent?: boolean;
}

/** A link to a page of the console. */
export function Link({ to, children, isCurrent = false, class: name = '' }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a
      href={root + (to === '/' ? '' : to)}
      onClick={follow}
      class={name}
      {...(isCurrent ? { 'aria-current': 'page' as const } : {})}
    >
      {children}
    </a>
  );
}
