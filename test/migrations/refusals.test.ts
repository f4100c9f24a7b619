import t from 'tap';
import { migrateDown } from '../../migrations/migrate.ts';
import { freshDatabase } from '../support/servers/database.ts';

const database = await freshDatabase(t);
const client = '00000000-0000-4000-8000-000000000001';
const revocation = (id: string) => `
  insert into jobs.job (kind, key, run_at, payload)
  values ('users.token_revocation', '${id}', now() + interval '1 hour', '{"provider_client_id": ${id}}')`;

/** What prevents that a step is taken back, from the newest step on. */
const refusals = [
  {
    step: '0331-provider-clients',
    allowed: revocation('null'),
    hindrance: revocation(`"${client}"`),
    end: "update jobs.job set dead_at = now(), error = 'x' where payload ->> 'provider_client_id' is not null",
    message: /access is being revoked/,
  },
  {
    step: '0321-project-deletion',
    allowed: "insert into auth.project (id, name) values ('other', 'Other')",
    hindrance: "update auth.project set deleting_at = now() where id = 'other'",
    end: "delete from auth.project where id = 'other'",
    message: /projects are being deleted/,
  },
  {
    step: '0312-passkeys',
    allowed:
      "insert into auth.developer (id, email, password) values (gen_random_uuid(), 'a@example.com', 'x')",
    hindrance: `
      insert into auth.passkey (developer_id, credential_id, public_key, counter, transports, name)
      select id, 'credential', '', 0, '{}', 'Laptop' from auth.developer`,
    end: 'delete from auth.passkey',
    message: /accounts have passkeys/,
  },
];

for (const { step, allowed, hindrance, end, message } of refusals)
  t.test(`${step} is taken back only when nothing needs it`, async (t) => {
    await migrateDown(database.url, step);
    await database.query(allowed);
    await database.query(hindrance);
    await t.rejects(migrateDown(database.url), message);
    await database.query(end);
    t.strictSame(await migrateDown(database.url), [step]);
  });
