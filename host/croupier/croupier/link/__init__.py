"""The line to the Pico: commands out, reports in on the table's clock, whatever happens to the cable."""
