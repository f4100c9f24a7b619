#!/bin/sh
# Runs once, in the empty database of a composed set-up: the role of the services, which owns the database and is no
# superuser. Its failed statements are not logged, since their messages may quote values.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
\set password `cat "${SECRETS_DIR:-/run/secrets}/database/DATABASE_PASSWORD"`
create role pulsebus login password :'password';
alter role pulsebus set log_min_messages = 'log';
alter database pulsebus owner to pulsebus;
SQL
