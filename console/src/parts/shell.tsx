import { type ComponentType, lazy, Suspense } from 'preact/compat';
import { useEffect } from 'preact/hooks';
import type { Permission } from '../../../domain/access.ts';
import icon from '../icon.svg';
import { Account } from '../pages/account.tsx';
import { Deliveries } from '../pages/deliveries.tsx';
import { Delivery } from '../pages/delivery.tsx';
import { Developers } from '../pages/developers.tsx';
import { Freshness } from '../pages/freshness.tsx';
import { Home } from '../pages/home.tsx';
import { Jobs } from '../pages/jobs.tsx';
import { Members } from '../pages/members.tsx';
import { Providers } from '../pages/providers.tsx';
import { Users } from '../pages/users.tsx';
import { Endpoint } from '../pages/webhook-endpoint.tsx';
import { Webhooks } from '../pages/webhooks.tsx';
import { Link, location, navigate } from '../router.tsx';
import { can, changeProject, openProjects, project, type Session, signOut } from '../session.ts';
import { Finder } from './finder/finder.tsx';
import { Skeleton } from './states.tsx';

// The page with charts is a file of its own. Where it is opened first, it is loaded beside the session.
const loadUser = () => import('../pages/user.tsx').then(({ User }) => ({ default: User }));
const User = lazy(loadUser);
if (location.value.path.startsWith('/users/')) void loadUser().catch(() => undefined);
const Destinations = lazy(() =>
  import('../pages/destinations.tsx').then(({ Destinations }) => ({ default: Destinations })),
);
const Destination = lazy(() =>
  import('../pages/destination.tsx').then(({ Destination }) => ({ default: Destination })),
);

/** What the address of a page names: an object, a part of its page, and an object of that part. */
export interface PageProps {
  readonly id: string;
  readonly part: string;
  readonly item: string;
}

interface Route {
  /** What a page needs; without it, it is not shown. */
  readonly needs: Permission;
  readonly pattern: RegExp;
  readonly title: string;
  readonly page: ComponentType<PageProps>;
}

const routes: readonly Route[] = [
  { pattern: /^\/$/, title: 'Home', needs: 'status.read', page: Home },
  { pattern: /^\/users$/, title: 'Users', needs: 'users.list', page: Users },
  {
    pattern: /^\/users\/([\w-]+)(?:\/([\w-]+)(?:\/([\w-]+))?)?$/,
    title: 'User',
    needs: 'users.read',
    page: User,
  },
  { pattern: /^\/freshness$/, title: 'Freshness', needs: 'users.list', page: Freshness },
  { pattern: /^\/deliveries$/, title: 'Deliveries', needs: 'deliveries.read', page: Deliveries },
  { pattern: /^\/deliveries\/([\w-]+)$/, title: 'Delivery', needs: 'deliveries.read', page: Delivery },
  { pattern: /^\/jobs$/, title: 'Jobs', needs: 'deliveries.read', page: Jobs },
  { pattern: /^\/webhooks$/, title: 'Webhooks', needs: 'webhooks.read', page: Webhooks },
  { pattern: /^\/webhooks\/([\w-]+)$/, title: 'Webhook endpoint', needs: 'webhooks.read', page: Endpoint },
  { pattern: /^\/destinations$/, title: 'Destinations', needs: 'destinations.read', page: Destinations },
  {
    pattern: /^\/destinations\/([\w-]+)$/,
    title: 'Destination',
    needs: 'destinations.read',
    page: Destination,
  },
  { pattern: /^\/developers$/, title: 'Developers', needs: 'credentials', page: Developers },
  { pattern: /^\/members$/, title: 'Members', needs: 'members', page: Members },
  { pattern: /^\/providers$/, title: 'Providers', needs: 'status.read', page: Providers },
  { pattern: /^\/account$/, title: 'Account', needs: 'account', page: Account },
];
const groups = [
  {
    name: 'Data',
    links: [
      ['/', 'Home'],
      ['/users', 'Users'],
      ['/freshness', 'Freshness'],
    ],
  },
  {
    name: 'Traffic',
    links: [
      ['/deliveries', 'Deliveries'],
      ['/jobs', 'Jobs'],
      ['/webhooks', 'Webhooks'],
      ['/destinations', 'Destinations'],
    ],
  },
  {
    name: 'Settings',
    links: [
      ['/providers', 'Providers'],
      ['/developers', 'Developers'],
      ['/members', 'Members'],
    ],
  },
] as const;

const isShown = (path: string) => can(routes.find(({ pattern }) => pattern.test(path))?.needs ?? 'account');

// Home is of the installation: another project begins with its users.
function Refused({ title }: { title: string }) {
  const { path } = location.value;
  const isStart = path === '/';
  useEffect(() => {
    if (isStart && isShown('/users')) navigate('/users', true);
  }, [isStart]);
  return (
    <>
      <h1>{title}</h1>
      <p class="state">
        {project.value === undefined
          ? 'You are not a member of any project yet.'
          : `Your role in ${project.value?.name ?? 'this project'} does not show this page.`}
      </p>
    </>
  );
}

function ProjectChoice() {
  if (openProjects.value.length < 2) return null;
  return (
    <label>
      <span class="hidden">Project</span>
      <select value={project.value?.id ?? ''} onChange={(event) => changeProject(event.currentTarget.value)}>
        {openProjects.value.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Sections({ path }: { path: string }) {
  const isWithin = (to: string) => (to === '/' ? path === '/' : path.startsWith(to));
  const shown = groups
    .map(({ name, links }) => ({ name, links: links.filter(([to]) => isShown(to)) }))
    .filter(({ links }) => links.length > 0);
  return (
    <nav aria-label="Sections">
      {shown.map(({ name, links }) => (
        <div key={name}>
          <p aria-hidden="true">{name}</p>
          <ul aria-label={name}>
            {links.map(([to, title]) => (
              <li key={to}>
                <Link to={to} class="entry" isCurrent={isWithin(to)}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function Header({ session, path }: { session: Session; path: string }) {
  return (
    <header>
      <strong class="brand">
        <img src={icon} alt="" />
        Pulsebus
      </strong>
      <Finder />
      <ProjectChoice />
      <Sections path={path} />
      <div class="account">
        <a class="entry" href="/docs">
          Documentation
        </a>
        <Link to="/account" class="entry" isCurrent={path === '/account'}>
          {session.developer.email}
        </Link>
        <button type="button" onClick={() => void signOut()}>
          Log out
        </button>
      </div>
    </header>
  );
}

/** The frame of every page: navigation, account, and the page itself. */
export function Shell({ session }: { session: Session }) {
  const { path } = location.value;
  const route = routes.find(({ pattern }) => pattern.test(path));
  const [, id = '', part = '', item = ''] = route?.pattern.exec(path) ?? [];
  const title = route?.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} · Pulsebus`;
  }, [title]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <Header session={session} path={path} />
      <main id="content" tabIndex={-1}>
        {route === undefined ? (
          <>
            <h1>Not found</h1>
            <p class="state">
              There is no such page. <Link to="/">Go to the first page</Link>.
            </p>
          </>
        ) : !can(route.needs) ? (
          <Refused title={title} />
        ) : (
          <Suspense
            fallback={
              <>
                <h1>{title}</h1>
                <Skeleton what="page" />
              </>
            }
          >
            <route.page key={`${route.title} ${id}`} {...{ id, part, item }} />
          </Suspense>
        )}
      </main>
    </div>
  );
}
