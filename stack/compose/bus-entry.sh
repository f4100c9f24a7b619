#!/bin/sh
# The passwords of the bus, each from its file, as the variables of nats-users.gen.conf: BUS_PASSWORD_API_GATEWAY is that of
# bus_api_gateway/BUS_PASSWORD. They are quoted, because NATS reads a value that begins with a digit as a number.
set -eu
for file in "${SECRETS_DIR:-/run/secrets}"/bus*/BUS_PASSWORD; do
  group=$(basename "$(dirname "$file")")
  role=${group#bus}
  name=$(echo "BUS_PASSWORD${role:-_pulsebus}" | tr '[:lower:]' '[:upper:]')
  export "$name=\"$(cat "$file")\""
done
exec "$@"
