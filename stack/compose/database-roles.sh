#!/bin/sh
# Runs in the empty database of a composed set-up, and again when roles were added: the role that owns the database and
# migrates it, and a role of each service, without any right until the migrations gave it. None is a superuser. Their
# failed statements are not logged, since their messages may quote values.
set -eu
secrets="${SECRETS_DIR:-/run/secrets}"
role() {
  psql -q -v ON_ERROR_STOP=1 -v role="$1" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<SQL
\set password \`cat "$secrets/$2/DATABASE_PASSWORD"\`
select format('create role %I', :'role') where not exists (select from pg_roles where rolname = :'role') \gexec
alter role :"role" login password :'password';
alter role :"role" set log_min_messages = 'log';
SQL
}
role pulsebus database
psql -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c 'alter database pulsebus owner to pulsebus'
for folder in "$secrets"/database_*; do
  [ -s "$folder/DATABASE_PASSWORD" ] || continue
  group=$(basename "$folder")
  role "pulsebus_${group#database_}" "$group"
done
# The standby of the profile ha copies and follows this server as a role that may do nothing else.
if [ -s "$secrets/replication/REPLICATION_PASSWORD" ]; then
  psql -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<SQL
\set password \`cat "$secrets/replication/REPLICATION_PASSWORD"\`
select 'create role pulsebus_replication'
where not exists (select from pg_roles where rolname = 'pulsebus_replication') \gexec
alter role pulsebus_replication login replication password :'password';
SQL
  grep -q '^host replication pulsebus_replication ' "$PGDATA/pg_hba.conf" ||
    echo 'host replication pulsebus_replication all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  psql -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c 'select pg_reload_conf()' >/dev/null
fi
