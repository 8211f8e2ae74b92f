"""Changes of manifests that may help, run under the same chances before anybody hears of them.

`changes/` makes candidates, `lists` says which may help against which claim, `retrials` runs them, `curing`
keeps what holds with its price. Nothing is offered that was not run.
"""
