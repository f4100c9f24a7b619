import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { Authenticator } from '../parts/accounts/authenticator.tsx';
import { Passkeys } from '../parts/accounts/passkeys.tsx';
import { UnitChoice } from '../parts/accounts/unit-choice.tsx';
import { Form } from '../parts/form.tsx';
import { session } from '../session.ts';

/** The account of the signed-in developer: choose units, change the password, set up an authenticator, add passkeys. */
export function Account() {
  const [isChanged, setChanged] = useState(false);
  return (
    <>
      <h1>Account</h1>
      <p>{session.value?.developer.email}</p>
      <UnitChoice />
      <h2>Change the password</h2>
      <Form
        class="narrow"
        kind="main"
        button="Change the password"
        send={async (field) => {
          setChanged(false);
          const [current_password, new_password] = [field('current'), field('next')];
          await api.auth.changePassword({ current_password, new_password });
          setChanged(true);
        }}
      >
        <label>
          Current password
          <input name="current" type="password" autocomplete="current-password" required />
        </label>
        <label>
          New password
          <input name="next" type="password" autocomplete="new-password" minLength={10} required />
        </label>
      </Form>
      <p role="status">{isChanged && 'The password is changed. Your other sessions have ended.'}</p>
      <Authenticator />
      <Passkeys />
    </>
  );
}
