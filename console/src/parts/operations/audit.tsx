import type { AuditEntry } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { Link, location, setQuery } from '../../router.tsx';
import { withTitles } from '../../titles.ts';
import { CursorList } from '../cursor-list.tsx';
import { Empty } from '../states.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';
import { AuditFilters, auditFilter } from './audit-filters.tsx';

/** The audit trail, newest first. Its filters are in the address. */
export function Audit({ version }: { version: number }) {
  const filter = auditFilter(location.value.query);
  const name = JSON.stringify(filter);
  return (
    <section aria-labelledby="audit">
      <h2 id="audit">Audit</h2>
      <AuditFilters />
      <CursorList
        name={`audit ${name}`}
        what="audit entries"
        version={version}
        load={(query, signal) => api.auth.audit({ ...filter, ...query, limit: 25 }, { signal })}
      >
        {(items) =>
          items.length === 0 ? (
            <Empty>
              {Object.keys(filter).length === 0
                ? 'There is no entry yet. Every change leaves one.'
                : 'No entry matches. Remove a filter to see more.'}
            </Empty>
          ) : (
            <Table title="Audit entries" head={['Time', 'Action', 'Actor', 'Subject', 'User', 'Details']}>
              {items.map((one) => (
                <Entry key={one.id} entry={one} />
              ))}
            </Table>
          )
        }
      </CursorList>
    </section>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { at, action, actor, subject_id, subject_name, user_id, details } = entry;
  return (
    <tr>
      <td>
        <Time at={at} />
      </td>
      <td>{action}</td>
      <td>
        {actor !== null && (
          <button type="button" class="plain link" onClick={() => setQuery({ actor })}>
            {withTitles(actor)}
            <span class="hidden">, only entries of this actor</span>
          </button>
        )}
      </td>
      <td>{subject_name ?? withTitles(subject_id ?? '')}</td>
      <td>
        {user_id !== null && (
          <Link to={`/users/${user_id}`}>
            {user_id.slice(0, 8)}
            <span class="hidden">, the user</span>
          </Link>
        )}
      </td>
      <td>{details !== null && <code>{withTitles(JSON.stringify(details))}</code>}</td>
    </tr>
  );
}
