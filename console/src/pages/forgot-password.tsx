import { useEffect, useState } from 'preact/hooks';
import { Form } from '../parts/form.tsx';
import { publicApi } from '../public-api.ts';
import { Link } from '../router.tsx';

/** Requests a link by e-mail that sets a new password. */
export function ForgotPassword() {
  const [isSent, setSent] = useState(false);
  useEffect(() => {
    document.title = 'Forgot password · Pulsebus';
  }, []);
  return (
    <main class="sign-in">
      <h1>Forgot password</h1>
      {isSent ? (
        <p role="status">
          If an account has this address, a message with a link is on its way. The link serves once, within an
          hour.
        </p>
      ) : (
        <Form
          kind="main"
          button="Send a link"
          send={async (field) => {
            await publicApi.auth.forgotPassword({ email: field('email') });
            setSent(true);
          }}
        >
          <label>
            E-mail address
            <input name="email" type="email" autocomplete="username" required autofocus />
          </label>
        </Form>
      )}
      <p>
        <Link to="/sign-in">Log in</Link>
      </p>
      <p class="faint">
        Where no e-mail is set up, an operator sets a password: <code>npm run reset-password</code>.
      </p>
    </main>
  );
}
