#!/bin/sh
# Starts the standby of the composed database, copied first where its volume is empty. The arguments are the command of the
# server. The copy is renamed when it is complete, so that a killed start leaves nothing that looks like data.
set -eu
umask 077
standby=pulsebus_standby
passfile="${TMPDIR:-/tmp}/$standby.pgpass"
echo "*:*:*:pulsebus_replication:$(cat "${SECRETS_DIR:-/run/secrets}/replication/REPLICATION_PASSWORD")" >"$passfile"
primary="host=${PRIMARY_HOST:-database} port=${PRIMARY_PORT:-5432} user=pulsebus_replication passfile=$passfile"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "$PGDATA.new"
  # a slot of a copy that was killed, or of a standby whose volume was removed
  psql -q "$primary dbname=postgres replication=true" -c "DROP_REPLICATION_SLOT $standby" 2>/dev/null || true
  pg_basebackup -d "$primary" -D "$PGDATA.new" -X stream -C -S "$standby" -c fast
  touch "$PGDATA.new/standby.signal"
  mv "$PGDATA.new" "$PGDATA"
fi
exec "$@" "-cprimary_conninfo=$primary application_name=$standby" "-cprimary_slot_name=$standby" -chot_standby_feedback=on
