"""What people see: results of commands in words, tables and charts."""
