"""`awk` as manifests use it: patterns, fields, sums and printing.

Left out, and named where a program asks for it: conditions and loops, functions, arrays, getline, pipes,
files to print to, powers, and variables that change how records are read or numbers written.
"""
