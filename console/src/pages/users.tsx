import { useEffect, useState } from 'preact/hooks';
import type { UsersListData } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { useChanges } from '../changes.ts';
import { FormDialog } from '../parts/form.tsx';
import { ConnectionFilter, connectionFilter } from '../parts/operations/connection-filter.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useResource } from '../resource.ts';
import { Link, location, navigate, setQuery } from '../router.tsx';
import { can } from '../session.ts';

type SortBy = NonNullable<NonNullable<UsersListData['query']>['sort_by']>;
const sorts: readonly (readonly [SortBy, string])[] = [
  ['first_name', 'First name'],
  ['last_name', 'Last name'],
  ['email', 'E-mail address'],
  ['created_at', 'Created'],
];
const typingMs = 200;
const pauseMs = 3000;

/** All users: search, sort, pages, and a new one. */
export function Users() {
  const { query } = location.value;
  const version = useChanges({ pauseMs });
  const isCreating = query.get('create') === 'yes';
  const setCreating = (isOpen: boolean) => setQuery({ create: isOpen ? 'yes' : '' });
  const search = query.get('search') ?? '';
  const sort_by = sorts.find(([name]) => name === query.get('sort'))?.[0] ?? 'created_at';
  const sort_order = query.get('order') === 'asc' ? 'asc' : 'desc';
  const page = Math.max(1, Number(query.get('page')) || 1);
  const filter = connectionFilter(query);
  const key = JSON.stringify([search, sort_by, sort_order, page, filter, version]);
  const read = { page, limit: 25, sort_by, sort_order, ...(search === '' ? {} : { search }) } as const;
  const users = useResource(key, (signal) => api.users.list({ ...read, ...filter }, { signal }), true);
  return (
    <>
      <div class="row between">
        <h1>Users</h1>
        {can('users.write') && (
          <button type="button" class="main" onClick={() => setCreating(true)}>
            Create a user
          </button>
        )}
      </div>
      <div class="row filters">
        <Search value={search} />
        <ConnectionFilter />
      </div>
      <Loaded of={users} what="users">
        {({ items, total, pages }) =>
          items.length === 0 && total > 0 ? (
            <>
              <Empty>
                There is no page {page}: the list has {countOf(total, search, filter)} on {pages}{' '}
                {pages === 1 ? 'page' : 'pages'}.
              </Empty>
              <p>
                <PageButton name="Go to the last page" page={pages} isDisabled={false} />
              </p>
            </>
          ) : items.length === 0 ? (
            <Empty>
              {search === '' && Object.keys(filter).length === 0
                ? 'There is no user yet. Create one, then connect an account.'
                : 'No user matches. The search looks at names, e-mail addresses and external ids. Choose other filters to see more.'}
            </Empty>
          ) : (
            <>
              <Table
                title="Users"
                head={[
                  ...sorts.map(([name, title]) => (
                    <SortButton key={name} {...{ name, title, sort_by, sort_order }} />
                  )),
                  'External id',
                ]}
              >
                {items.map((user) => (
                  <tr key={user.id}>
                    <td>
                      <Link to={`/users/${user.id}`}>{user.first_name ?? user.id.slice(0, 8)}</Link>
                    </td>
                    <td>{user.last_name}</td>
                    <td>{user.email}</td>
                    <td>
                      <Time at={user.created_at} />
                    </td>
                    <td>{user.external_user_id}</td>
                  </tr>
                ))}
              </Table>
              <nav class="row pages" aria-label="Pages of users">
                <PageButton name="First" page={1} isDisabled={page <= 1} />
                <PageButton name="Previous" page={page - 1} isDisabled={page <= 1} />
                <span role="status">
                  Page {page} of {pages}, {countOf(total, search, filter)}
                </span>
                <PageButton name="Next" page={page + 1} isDisabled={page >= pages} />
                <PageButton name="Last" page={pages} isDisabled={page >= pages} />
              </nav>
            </>
          )
        }
      </Loaded>
      {isCreating && <CreateUser close={() => setCreating(false)} />}
    </>
  );
}

function PageButton({ name, page, isDisabled }: { name: string; page: number; isDisabled: boolean }) {
  return (
    <button type="button" disabled={isDisabled} onClick={() => setQuery({ page: String(page) })}>
      {name}
    </button>
  );
}

const mostByConnection = 10_000;
const mostSearched = 1000;

// A list by connections ends after its number. A search counts up to its number, or to the page if that is more.
function countOf(total: number, search: string, filter: object): string {
  const isByConnection = Object.keys(filter).length > 0;
  const most = isByConnection ? mostByConnection : search === '' ? Number.POSITIVE_INFINITY : mostSearched;
  return `${total.toLocaleString()}${total >= most ? ' or more' : ''} ${total === 1 ? 'user' : 'users'}`;
}

function Search({ value }: { value: string }) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => setQuery({ search: text.trim(), page: '' }), typingMs);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <label>
      Search
      <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
    </label>
  );
}

function SortButton(props: { name: SortBy; title: string; sort_by: SortBy; sort_order: 'asc' | 'desc' }) {
  const { name, title, sort_by, sort_order } = props;
  const isCurrent = sort_by === name;
  const next = isCurrent && sort_order === 'asc' ? 'desc' : 'asc';
  const arrow = isCurrent ? (sort_order === 'asc' ? ' ↑' : ' ↓') : '';
  return (
    <button
      type="button"
      class="plain"
      aria-label={`Sort by ${title}, ${next === 'asc' ? 'ascending' : 'descending'}`}
      onClick={() => setQuery({ sort: name, order: next, page: '' })}
    >
      {title}
      {arrow}
    </button>
  );
}

const fields = [
  ['first_name', 'First name'],
  ['last_name', 'Last name'],
  ['email', 'E-mail address'],
  ['external_user_id', 'External id'],
] as const;

function CreateUser({ close }: { close: () => void }) {
  return (
    <FormDialog
      title="Create a user"
      button="Create"
      close={close}
      send={async (field) => {
        const given = fields.map(([name]) => [name, field(name).trim()]);
        const user = await api.users.create(Object.fromEntries(given.filter(([, value]) => value !== '')));
        navigate(`/users/${user.id}`);
      }}
    >
      {fields.map(([name, title]) => (
        <label key={name}>
          {title}
          <input name={name} autocomplete="off" />
        </label>
      ))}
    </FormDialog>
  );
}
