#!/bin/sh
# In a container: every file of /run/secrets becomes a setting of its name (JWT_SECRET, ENCRYPTION_KEY, …), so
# that no secret stands in docker-compose.yml, in an image, or in the arguments that metrics show.
set -eu
for file in /run/secrets/*; do
  [ -f "$file" ] || continue
  export "$(basename "$file")=$(cat "$file")"
done
if [ -n "${DATABASE_PASSWORD:-}" ]; then
  export DATABASE_URL="postgres://pulsebus:$DATABASE_PASSWORD@database:5432/pulsebus"
fi
if [ -n "${BUS_PASSWORD:-}" ]; then
  export NATS_URL="nats://pulsebus:$BUS_PASSWORD@bus:4222"
fi
unset DATABASE_PASSWORD BUS_PASSWORD
exec "$@"
