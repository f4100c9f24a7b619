import type { AuditAction } from '../../../../clients/typescript/src/index.ts';
import { auditActions } from '../../../../domain/audit.ts';
import { location, setQuery } from '../../router.tsx';

const isAction = (name: string | null): name is AuditAction =>
  name !== null && Object.hasOwn(auditActions, name);
/** A local time of an input, as the API takes it. */
const timeOf = (local: string) => new Date(local).toISOString();
const isTime = (text: string | null): text is string => text !== null && !Number.isNaN(Date.parse(text));

/** The filters of the audit, as the address has them. */
export function auditFilter(query: URLSearchParams) {
  const [action, actor, user_id] = [query.get('action'), query.get('actor'), query.get('user')];
  const [from, until] = [query.get('from'), query.get('until')];
  return {
    ...(isAction(action) ? { action } : {}),
    ...(actor === null ? {} : { actor }),
    ...(user_id === null ? {} : { user_id }),
    ...(isTime(from) ? { start_time: timeOf(from) } : {}),
    ...(isTime(until) ? { end_time: timeOf(until) } : {}),
  };
}

const texts = [
  ['actor', 'Actor'],
  ['user', 'User id'],
] as const;
const times = [
  ['from', 'From'],
  ['until', 'Until'],
] as const;

const setFrom = (name: string) => (event: { currentTarget: { value: string } }) =>
  setQuery({ [name]: event.currentTarget.value.trim() });

/** Chooses entries by action, actor, user and time. */
export function AuditFilters() {
  const { query } = location.value;
  const isFiltered = Object.keys(auditFilter(query)).length > 0;
  return (
    <div class="row filters">
      <label>
        Action
        <select
          value={query.get('action') ?? ''}
          onChange={(event) => setQuery({ action: event.currentTarget.value })}
        >
          <option value="">any</option>
          {Object.entries(auditActions).map(([name, meaning]) => (
            <option key={name} value={name} title={meaning}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {texts.map(([name, title]) => (
        <label key={name}>
          {title}
          <input value={query.get(name) ?? ''} onChange={setFrom(name)} />
        </label>
      ))}
      {times.map(([name, title]) => (
        <label key={name}>
          {title}
          <input type="datetime-local" value={query.get(name) ?? ''} onChange={setFrom(name)} />
        </label>
      ))}
      {isFiltered && (
        <button
          type="button"
          onClick={() => setQuery({ action: '', actor: '', user: '', from: '', until: '' })}
        >
          Remove the filters
        </button>
      )}
    </div>
  );
}
