import { LinkPage } from '../parts/accounts/link-page.tsx';
import { Form } from '../parts/form.tsx';
import { publicApi } from '../public-api.ts';
import { navigate } from '../router.tsx';
import { signIn } from '../session.ts';

/** Accepts an invitation, and signs in. */
export function Invitation() {
  return (
    <LinkPage title="Join a project">
      {(token) => (
        <Form
          kind="main"
          button="Join"
          send={async (field) => {
            const password = field('password');
            const { email } = await publicApi.auth.acceptInvitation({ token, password });
            await signIn(email, password).catch(() => undefined); // an account with an authenticator needs a code
            navigate('/', true);
          }}
        >
          <label>
            Password
            <input name="password" type="password" autocomplete="new-password" required autofocus />
          </label>
          <p class="faint">
            Choose a password of at least 10 characters. If you have an account with the invited address
            already, enter its password.
          </p>
        </Form>
      )}
    </LinkPage>
  );
}
