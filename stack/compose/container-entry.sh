#!/bin/sh
# In a container: every file of /run/secrets/GROUP becomes a setting of its name (JWT_SECRET, ENCRYPTION_KEY, …), so
# that no secret stands in docker-compose.yml, in an image, or in the arguments of a process.
set -eu
for file in "${SECRETS_DIR:-/run/secrets}"/*/*; do
  [ -f "$file" ] || continue
  case "$file" in *.new) continue ;; esac
  value=$(cat "$file")
  export "$(basename "$file")=$value"
done
if [ -n "${DATABASE_PASSWORD:-}" ]; then
  login="${DATABASE_USER:-pulsebus}:$DATABASE_PASSWORD"
  export DATABASE_URL="postgres://$login@${DATABASE_HOST:-database:5432}/pulsebus"
  if [ -n "${DATABASE_READ_HOST:-}" ]; then
    export DATABASE_READ_URL="postgres://$login@$DATABASE_READ_HOST/pulsebus"
  fi
fi
if [ -n "${BUS_PASSWORD:-}" ]; then
  export NATS_URL="nats://${BUS_USER:-pulsebus}:$BUS_PASSWORD@${BUS_HOST:-bus:4222}"
fi
unset login DATABASE_PASSWORD BUS_PASSWORD
exec "$@"
