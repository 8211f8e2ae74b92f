"""`awk` as manifests use it: patterns, fields, sums and printing.

Left out, and named where a program asks for it: functions of its own, getline, pipes, files to print to,
`while` and `do`, several indexes, and variables that change how records are read or numbers written.
"""
