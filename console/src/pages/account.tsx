import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { session } from '../session.ts';

/** The account of the signed-in developer: change the password. */
export function Account() {
  const [message, setMessage] = useState<{ text: string; isProblem: boolean } | null>(null);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const fields = new FormData(form);
    try {
      await api.auth.changePassword({
        current_password: String(fields.get('current')),
        new_password: String(fields.get('next')),
      });
      form.reset();
      setMessage({ text: 'The password is changed. Your other sessions have ended.', isProblem: false });
    } catch (error) {
      setMessage({ text: error instanceof Error ? error.message : String(error), isProblem: true });
    }
  };
  return (
    <>
      <h1>Account</h1>
      <p>{session.value?.developer.email}</p>
      <h2>Change the password</h2>
      <form class="narrow" onSubmit={submit}>
        <label>
          Current password
          <input name="current" type="password" autocomplete="current-password" required />
        </label>
        <label>
          New password
          <input name="next" type="password" autocomplete="new-password" minLength={10} required />
        </label>
        <button type="submit" class="main">
          Change the password
        </button>
        {message !== null && (
          <p class={message.isProblem ? 'problem' : ''} role={message.isProblem ? 'alert' : 'status'}>
            {message.text}
          </p>
        )}
      </form>
    </>
  );
}
