import { useEffect, useId, useLayoutEffect, useState } from 'preact/hooks';
import { useResource } from '../../resource.ts';
import { navigate } from '../../router.tsx';
import { Dialog } from '../dialog.tsx';
import { type Found, find } from './find.ts';

const typingMs = 120;

/** Search over everything of the console: `/` or Ctrl-K opens it. */
export function Finder() {
  const [isOpen, setOpen] = useState(false);
  // From the moment on in which the page is seen.
  useLayoutEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!opens(event) || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', open);
    return () => window.removeEventListener('keydown', open);
  }, []);
  return (
    <>
      <button type="button" class="finder" onClick={() => setOpen(true)}>
        Search <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <Search close={() => setOpen(false)} />}
    </>
  );
}

// A slash in a field is a slash.
function opens({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
  if (key.toLowerCase() === 'k') return ctrlKey || metaKey;
  const isField = target instanceof Element && target.closest('input, select, textarea') !== null;
  return key === '/' && !isField;
}

const combobox = { role: 'combobox', 'aria-expanded': 'true', list: undefined } as const;

function Search({ close }: { close: () => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState('');
  const [chosen, setChosen] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(text.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  const results = useResource(wanted, (signal) => find(wanted, signal), true);
  const list = results.data ?? [];
  const current = list[Math.min(chosen, list.length - 1)];
  const open = ({ to }: Found) => {
    close();
    navigate(to);
  };
  const isFound = wanted === text.trim() && !results.isLoading;
  const [isEntered, setEntered] = useState(false);
  useEffect(() => {
    if (isEntered && isFound && current !== undefined) open(current);
  }, [isEntered, isFound]);
  const steer = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && list.length > 0) setChosen((last) => (last + step + list.length) % list.length);
    else if (event.key === 'Enter') setEntered(true);
    else if (event.key === 'Escape')
      close(); // the browser would only empty the field
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search" close={close}>
      <input
        type="search"
        {...combobox}
        aria-label="Search users, deliveries, endpoints, keys, pages and actions"
        aria-controls={id}
        aria-activedescendant={current === undefined ? undefined : `${id}-${list.indexOf(current)}`}
        placeholder="A name, an id, a page"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
          setEntered(false);
        }}
        onKeyDown={steer}
      />
      <div id={id} role="listbox" class="found" aria-label="Results" tabIndex={-1}>
        {list.map((one, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={`${one.kind} ${one.name}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={one === current}
            onClick={() => open(one)}
          >
            {one.name} <span class="faint">{one.kind}</span>
          </div>
        ))}
      </div>
      {results.data !== undefined && list.length === 0 && <p class="faint">Nothing matches.</p>}
    </Dialog>
  );
}
