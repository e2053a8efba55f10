#!/bin/sh
# A tool for cursor-chat --tools: reads {"city": "..."} and prints the result for the agent. Errors
# also go to standard output, so that the agent sees them, with another exit code.
city=$(sed -n 's/.*"city" *: *"\([^"\\]*\)".*/\1/p')
if [ -z "$city" ]; then
  echo 'the argument "city" must be the name of a city'
  exit 1
fi
# No thermometer here: the temperature depends on the length of the name.
echo "$city: $((10 + ${#city})) degrees, sunny"
