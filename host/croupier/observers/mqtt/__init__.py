"""Home automation: the table on an MQTT broker, where Home Assistant finds it as a device (docs/home-automation.md)."""
