import { type ComponentType, lazy, Suspense } from 'preact/compat';
import { useEffect } from 'preact/hooks';
import { Account } from '../pages/account.tsx';
import { Deliveries } from '../pages/deliveries.tsx';
import { Delivery } from '../pages/delivery.tsx';
import { Developers } from '../pages/developers.tsx';
import { Jobs } from '../pages/jobs.tsx';
import { Overview } from '../pages/overview.tsx';
import { Providers } from '../pages/providers.tsx';
import { Users } from '../pages/users.tsx';
import { Endpoint } from '../pages/webhook-endpoint.tsx';
import { Webhooks } from '../pages/webhooks.tsx';
import { Link, location } from '../router.tsx';
import { type Session, signOut } from '../session.ts';

// The page with charts is a file of its own. Where it is opened first, it is loaded beside the session.
const loadUser = () => import('../pages/user.tsx').then(({ User }) => ({ default: User }));
const User = lazy(loadUser);
if (location.value.path.startsWith('/users/')) void loadUser().catch(() => undefined);

interface Route {
  readonly pattern: RegExp;
  readonly title: string;
  readonly page: ComponentType<{ id: string }>;
}

const routes: readonly Route[] = [
  { pattern: /^\/$/, title: 'Overview', page: Overview },
  { pattern: /^\/users$/, title: 'Users', page: Users },
  { pattern: /^\/users\/([\w-]+)$/, title: 'User', page: User },
  { pattern: /^\/deliveries$/, title: 'Deliveries', page: Deliveries },
  { pattern: /^\/deliveries\/([\w-]+)$/, title: 'Delivery', page: Delivery },
  { pattern: /^\/jobs$/, title: 'Jobs', page: Jobs },
  { pattern: /^\/webhooks$/, title: 'Webhooks', page: Webhooks },
  { pattern: /^\/webhooks\/([\w-]+)$/, title: 'Webhook endpoint', page: Endpoint },
  { pattern: /^\/developers$/, title: 'Developers', page: Developers },
  { pattern: /^\/providers$/, title: 'Providers', page: Providers },
  { pattern: /^\/account$/, title: 'Account', page: Account },
];
const sections = [
  ['/', 'Overview'],
  ['/users', 'Users'],
  ['/deliveries', 'Deliveries'],
  ['/webhooks', 'Webhooks'],
  ['/developers', 'Developers'],
  ['/providers', 'Providers'],
] as const;

/** The frame of every page: navigation, account, and the page itself. */
export function Shell({ session }: { session: Session }) {
  const { path } = location.value;
  const route = routes.find(({ pattern }) => pattern.test(path));
  const id = route?.pattern.exec(path)?.[1] ?? '';
  const title = route?.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} · Pulsebus`;
  }, [title]);
  const isWithin = (to: string) => (to === '/' ? path === '/' : path.startsWith(to));
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <strong class="brand">Pulsebus</strong>
        <nav aria-label="Sections">
          {sections.map(([to, name]) => (
            <Link key={to} to={to} isCurrent={isWithin(to)}>
              {name}
            </Link>
          ))}
        </nav>
        <div class="row account">
          <a href="/docs">API</a>
          <Link to="/account" isCurrent={path === '/account'}>
            {session.developer.email}
          </Link>
          <button type="button" onClick={() => void signOut()}>
            Log out
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {route === undefined ? (
          <>
            <h1>Not found</h1>
            <p class="state">
              There is no such page. <Link to="/">Go to the overview</Link>.
            </p>
          </>
        ) : (
          <Suspense
            fallback={
              <>
                <h1>{title}</h1>
                <p class="state" role="status">
                  Loading …
                </p>
              </>
            }
          >
            <route.page key={path} id={id} />
          </Suspense>
        )}
      </main>
    </>
  );
}
