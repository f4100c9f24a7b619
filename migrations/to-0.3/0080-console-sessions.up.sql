-- Sessions of the console. `hash` is the SHA-256 of the cookie's value. A session is a family without tokens, so that all
-- that ends a developer's sessions ends these too.
create table auth.console_session (
  hash text primary key,
  family_id uuid not null unique references auth.family on delete cascade
);

-- Links that sign a developer in once. `hash` is the SHA-256 of the token in the link.
create table auth.sign_in_link (
  hash text primary key,
  developer_id uuid not null references auth.developer on delete cascade,
  expires_at timestamptz not null
);
create index sign_in_link_developer on auth.sign_in_link (developer_id);
create index sign_in_link_expires on auth.sign_in_link (expires_at);

-- A sign-in by a link has an action of its own: it does not use the password.
create or replace function auth.note_family() returns trigger language plpgsql as $$
begin
  insert into auth.audit_entry (actor, action, subject_id, user_id)
  values (new.issued_by,
    case when new.user_id is not null then 'token.issued'
      when coalesce(current_setting('auth.by_link', true), '') = 'on' then 'developer.signed_in_by_link'
      else 'developer.logged_in' end,
    new.id, new.user_id);
  return null;
end $$;
