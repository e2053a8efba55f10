#!/bin/sh
# A tool for cursor-chat --tools: reads {"city": "..."} and prints what is to be told to the agent.
# What is wrong goes to standard output too, since the agent is to see it, with another exit code.
city=$(sed -n 's/.*"city" *: *"\([^"\\]*\)".*/\1/p')
if [ -z "$city" ]; then
  echo 'the argument "city" must be the name of a city'
  exit 1
fi
# As warm as the name is long: there is no thermometer here.
echo "$city: $((10 + ${#city})) degrees, sunny"
