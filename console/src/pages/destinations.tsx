import { api } from '../api.ts';
import { kinds, placeOf, stateSentence, stateWord } from '../destination-texts.ts';
import { Badge } from '../parts/badge.tsx';
import { CreateDestination } from '../parts/destinations/destination-form.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useRepeated, useResource } from '../resource.ts';
import { Link, location, navigate, setQuery } from '../router.tsx';

const everyMs = 5000;

/** The copies of the project's data in stores of its own. */
export function Destinations() {
  const destinations = useResource('destinations', (signal) => api.destinations.list({ signal }));
  useRepeated(everyMs, destinations.reload);
  const setCreating = (isOpen: boolean) => setQuery({ create: isOpen ? 'yes' : '' });
  return (
    <>
      <div class="row between">
        <h1>Destinations</h1>
        <button type="button" class="main" onClick={() => setCreating(true)}>
          Add a destination
        </button>
      </div>
      <Loaded of={destinations} what="destinations">
        {(list) =>
          list.length === 0 ? (
            <Empty>
              There is no destination yet. A destination copies all data of the project into a store of your
              own, such as Parquet files in an S3 bucket, and follows every change and deletion. You need a
              bucket and an access key. <a href="/docs/guides/destinations">Guide to destinations</a>
            </Empty>
          ) : (
            <div class="endpoints">
              <Table
                title="Destinations"
                head={['Destination', 'State', 'Progress', 'Rows', 'Description', 'Last commit']}
              >
                {list.map((one) => (
                  <tr key={one.id}>
                    <td>
                      <Link to={`/destinations/${one.id}`}>{placeOf(one)}</Link>
                      <br />
                      <span class="faint">{kinds[one.kind].title}</span>
                    </td>
                    <td>
                      <Badge state={stateWord(one)} />
                    </td>
                    <td>{stateSentence(one)}</td>
                    <td>{one.rows_written.toLocaleString()}</td>
                    <td>{one.description}</td>
                    <td>
                      <Time at={one.last_commit_at} />
                    </td>
                  </tr>
                ))}
              </Table>
            </div>
          )
        }
      </Loaded>
      {location.value.query.get('create') === 'yes' && (
        <CreateDestination
          saved={({ id }) => navigate(`/destinations/${id}`)}
          close={() => setCreating(false)}
        />
      )}
    </>
  );
}
