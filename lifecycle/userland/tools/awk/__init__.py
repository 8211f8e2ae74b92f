"""`awk` as manifests use it: patterns, fields, sums and printing.

Left out, and named where a program asks for it: loops but `for (… in …)`, functions of its own, getline,
pipes, files to print to, several indexes, powers, and variables that change how records are read or numbers
written.
"""
