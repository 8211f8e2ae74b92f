"""What `manage.py bench` measures. Each bench is a function that returns a Report.

A ratio compares with a limit measured in the same run on the same machine, so that figures from
different machines can be compared.
"""
