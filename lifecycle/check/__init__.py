"""`podline check`: what happens to an application in every future that matters, not in one.

It is applied and settles once. Each ordeal is lived through on a fork of that state, under several seeds of
chance; claims are looked at, what fails is a finding, and cures are run under the same chances. No Django.
"""
