import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Action } from './action.tsx';
import { Copy } from './copy.tsx';

/** A dialog that keeps the focus until it is closed. */
export function Dialog({
  title,
  close,
  children,
}: {
  title: string;
  close: () => void;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => ref.current?.showModal(), []); // before the next key, which would go to the page
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** A button whose action runs once a word is typed into a dialog. */
export function TypedConfirmation({
  label,
  title,
  word,
  run,
  children,
}: {
  label: string;
  title: string;
  word: string;
  run: () => Promise<unknown>;
  children: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const close = () => {
    setOpen(false);
    setTyped('');
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog title={title} close={close}>
          {children}
          <label>
            Type <code>{word}</code> to confirm
            <input
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
              autocomplete="off"
            />
          </label>
          <p class="row">
            <Action
              kind="danger"
              disabled={typed !== word}
              run={async () => {
                await run();
                close();
              }}
            >
              {label}
            </Action>
            <button type="button" onClick={close}>
              Cancel
            </button>
          </p>
        </Dialog>
      )}
    </>
  );
}

/** A secret that is shown once, with a button that copies it, and with what else is said about it. */
export function ShownOnce({
  title,
  secret,
  close,
  children,
}: {
  title: string;
  secret: string;
  close: () => void;
  children?: ComponentChildren;
}) {
  return (
    <Dialog title={title} close={close}>
      <p>Copy it now: it is not shown again.</p>
      {children}
      <p>
        <code class="secret">{secret}</code>
      </p>
      <p class="row">
        <Copy kind="main" text={secret} of={title} />
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </Dialog>
  );
}
