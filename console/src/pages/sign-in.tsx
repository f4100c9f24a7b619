import { useEffect, useState } from 'preact/hooks';
import { takeToken } from '../parts/accounts/link-page.tsx';
import { signInByPasskey } from '../passkey.ts';
import { Link, location, navigate } from '../router.tsx';
import { SignInError, signIn, signInByLink, ways } from '../session.ts';

/** The form to log in with, also where a sign-in link leads. */
export function SignIn() {
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [needsCode, setNeedsCode] = useState(false);
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem('');
    try {
      await work();
      if (location.value.path === '/sign-in') navigate('/', true);
    } catch (error) {
      if (error instanceof SignInError && error.needsCode && !needsCode) setNeedsCode(true);
      else setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    document.title = 'Log in · Pulsebus';
    const token = location.value.path === '/sign-in' ? takeToken() : '';
    if (token !== '') void attempt(() => signInByLink(token));
  }, []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const field = (name: string) => String(form.get(name) ?? '');
    void attempt(() => signIn(field('email'), field('password'), field('code')));
  };
  return (
    <main class="sign-in">
      <h1>Pulsebus</h1>
      {ways.value.oidc !== null && (
        <p>
          <a class="button" href="/console/oidc">
            Sign in with {ways.value.oidc}
          </a>
        </p>
      )}
      {ways.value.passwords && (
        <p>
          <button type="button" disabled={isBusy} onClick={() => attempt(signInByPasskey)}>
            Sign in with a passkey
          </button>
        </p>
      )}
      {ways.value.passwords && (
        <form onSubmit={submit}>
          <label>
            E-mail address
            <input name="email" type="email" autocomplete="username" required autofocus />
          </label>
          <label>
            Password
            <input name="password" type="password" autocomplete="current-password" required />
          </label>
          {needsCode && (
            <label>
              Code of your authenticator, or a recovery code
              <input name="code" autocomplete="one-time-code" required autofocus />
            </label>
          )}
          <button type="submit" class="main" disabled={isBusy}>
            Log in
          </button>
          <p>
            <Link to="/forgot-password">Forgot password</Link>
          </p>
          <p class="faint">
            <code>npm start</code> prints the first account and a link that signs in without a password. A
            lost password: <code>npm run reset-password</code>.
          </p>
        </form>
      )}
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </main>
  );
}
