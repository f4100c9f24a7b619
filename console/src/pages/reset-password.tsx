import { useState } from 'preact/hooks';
import { LinkPage } from '../parts/accounts/link-page.tsx';
import { Form } from '../parts/form.tsx';
import { publicApi } from '../public-api.ts';
import { Link } from '../router.tsx';

/** Sets a new password with a link. */
export function ResetPassword() {
  const [isSet, setIsSet] = useState(false);
  return (
    <LinkPage title="Set a new password">
      {(token) =>
        isSet ? (
          <>
            <p role="status">The password is set. All sessions of the account have ended.</p>
            <p>
              <Link to="/sign-in">Log in</Link>
            </p>
          </>
        ) : (
          <Form
            kind="main"
            button="Set the password"
            send={async (field) => {
              await publicApi.auth.resetPassword({ token, password: field('password') });
              setIsSet(true);
            }}
          >
            <label>
              New password
              <input
                name="password"
                type="password"
                autocomplete="new-password"
                minLength={10}
                required
                autofocus
              />
            </label>
          </Form>
        )
      }
    </LinkPage>
  );
}
