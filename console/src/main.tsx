// Imported first, so that styles of pages may replace them.
import './tokens.css';
import './style.css';
import './shell.css';

import { type ComponentType, render } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { useEffect } from 'preact/hooks';
import { embedToken } from './embed.ts';
import { ForgotPassword } from './pages/forgot-password.tsx';
import { Invitation } from './pages/invitation.tsx';
import { ResetPassword } from './pages/reset-password.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { Shell } from './parts/shell.tsx';
import { Skeleton } from './parts/states.tsx';
import { location, navigate } from './router.tsx';
import { loadSession, session } from './session.ts';

/** Pages that need no session, by path. */
const openPages: Readonly<Record<string, ComponentType>> = {
  '/invitation': Invitation,
  '/forgot-password': ForgotPassword,
  '/reset': ResetPassword,
};

const Embed = lazy(() => import('./pages/embed.tsx').then((page) => ({ default: page.Embed })));

function App() {
  if (embedToken !== null)
    return (
      <Suspense fallback={<Skeleton what="day" />}>
        <Embed token={embedToken} />
      </Suspense>
    );
  const OpenPage = openPages[location.value.path];
  return OpenPage === undefined ? <Signed /> : <OpenPage />;
}

function Signed() {
  useEffect(() => void loadSession().catch(() => setTimeout(loadSession, 2000)), []);
  const isStale = session.value !== undefined && session.value !== null && location.value.path === '/sign-in';
  useEffect(() => {
    if (isStale) navigate('/', true); // a sign-in link that is opened with a session
  }, [isStale]);
  if (session.value === undefined || isStale) return <Skeleton what="session" />;
  return session.value === null ? <SignIn /> : <Shell session={session.value} />;
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
