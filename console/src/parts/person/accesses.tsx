import type { DataAccess } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { CursorList } from '../cursor-list.tsx';
import { Empty } from '../states.tsx';
import { Table } from '../table.tsx';
import { Time } from '../time.tsx';

/** Who read data of a user, by hour, newest first. */
export function Accesses({ userId, version }: { userId: string; version: number }) {
  return (
    <CursorList
      name={`accesses ${userId}`}
      what="reads"
      version={version}
      load={(query, signal) => api.auth.accesses({ user_id: userId, ...query, limit: 10 }, { signal })}
    >
      {(items) =>
        items.length === 0 ? (
          <Empty>Nobody has read data of this user yet.</Empty>
        ) : (
          <Table title="Reads" head={['Hour', 'Data', 'Who', 'Reads']}>
            {items.map((one) => (
              <Row key={`${one.hour} ${one.data_kind} ${one.actor}`} access={one} />
            ))}
          </Table>
        )
      }
    </CursorList>
  );
}

function Row({ access: { hour, data_kind, actor, count } }: { access: DataAccess }) {
  return (
    <tr>
      <td>
        <Time at={hour} />
      </td>
      <td>{data_kind}</td>
      <td>{actor}</td>
      <td>{count}</td>
    </tr>
  );
}
