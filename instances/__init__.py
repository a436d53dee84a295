"""What is to be solved: instances, exact timing, schedules and their check, families, traces."""
