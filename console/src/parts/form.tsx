import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

interface FormProps {
  /** Sends the values of the fields, by their names. The form is emptied after it. */
  readonly send: (field: (name: string) => string) => Promise<unknown>;
  readonly button: string;
  readonly kind?: '' | 'main';
  readonly class?: string;
  readonly label?: string;
  /** Closes the dialog that contains the form. */
  readonly cancel?: () => void;
  readonly children: ComponentChildren;
}

/** A form that is sent once at a time, and says what failed. */
export function Form({ send, button, kind = '', class: name = '', label, cancel, children }: FormProps) {
  const [state, setState] = useState({ isBusy: false, problem: '' });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const fields = new FormData(form);
    setState({ isBusy: true, problem: '' });
    try {
      await send((field) => String(fields.get(field)));
      form.reset();
      setState({ isBusy: false, problem: '' });
    } catch (error) {
      setState({ isBusy: false, problem: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <form class={name} onSubmit={submit} {...(label === undefined ? {} : { 'aria-label': label })}>
      {children}
      {state.problem !== '' && (
        <p class="problem" role="alert">
          {state.problem}
        </p>
      )}
      <p class="row">
        <button type="submit" class={kind} disabled={state.isBusy}>
          {button}
        </button>
        {cancel !== undefined && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
      </p>
    </form>
  );
}

/** A form in a dialog that creates something. */
export function FormDialog({
  title,
  close,
  ...form
}: Omit<FormProps, 'cancel' | 'kind'> & { title: string; close: () => void }) {
  return (
    <Dialog title={title} close={close}>
      <Form kind="main" cancel={close} {...form} />
    </Dialog>
  );
}
