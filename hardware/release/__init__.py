"""What a release holds for builders: plates for the printer, drawings as one PDF, all of it in one archive."""
